package onnx_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fieldlift/internal/onnx"
)

// installed is where tools/models puts ONNX Runtime and a network.
const installed = "/usr/local/share/fieldlift/ocr"

// open gives ONNX Runtime and a network that reads lines of text.
func open(t *testing.T) (*onnx.Runtime, []byte) {
	t.Helper()
	network, err := os.ReadFile(filepath.Join(installed, "en_PP-OCRv4_rec_infer.onnx"))
	if err != nil {
		t.Skip("tools/models has not been run: ", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := onnx.Open(t.Context(), filepath.Join(installed, onnx.RuntimeFile), filepath.Join(cache, "fieldlift"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = runtime.Close(t.Context()) })
	return runtime, network
}

func blank(width int) onnx.Tensor {
	return onnx.Tensor{Shape: []int{1, 3, 48, width}, Data: make([]float32, 3*48*width)}
}

func TestSessionsRunBesideEachOther(t *testing.T) {
	runtime, network := open(t)
	outs := make([]onnx.Tensor, 2)
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			session, err := runtime.NewSession(t.Context(), network)
			if err != nil {
				t.Error(err)
				return
			}
			for range 2 { // what the first run left must not change the second
				if outs[i], err = session.Run(t.Context(), blank(96)); err != nil {
					t.Error(err)
				}
			}
			if err := session.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, out := range outs {
		if len(out.Shape) != 3 || out.Shape[0] != 1 || out.Shape[1] == 0 || out.Shape[2] != 97 {
			t.Fatalf("the network gives %v", out.Shape)
		}
		sum := 0.0
		for _, p := range out.Data[:out.Shape[2]] {
			sum += float64(p)
		}
		if math.Abs(sum-1) > 1e-3 {
			t.Errorf("the letters of a step are likely by %v together", sum)
		}
	}
}

func TestWhatCannotBeRunIsRefused(t *testing.T) {
	runtime, network := open(t)
	session, err := runtime.NewSession(t.Context(), network)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]onnx.Tensor{
		"no numbers":          {Shape: []int{1, 3, 48, 32}},
		"numbers left over":   {Shape: []int{1, 3, 48, 32}, Data: make([]float32, 3*48*32+1)},
		"nothing at all":      {},
		"another picture":     {Shape: []int{1, 4, 48, 32}, Data: make([]float32, 4*48*32)},
		"not enough of sides": {Shape: []int{3 * 48 * 32}, Data: make([]float32, 3*48*32)},
	} {
		if _, err := session.Run(t.Context(), in); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
	if _, err := session.Run(t.Context(), blank(64)); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
	for name, model := range map[string][]byte{"nothing": {0}, "no network": []byte("PK\x03\x04 an archive"), "half a network": network[:len(network)/2]} {
		if _, err := runtime.NewSession(t.Context(), model); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
}

func TestOnlyTheKnownBuildIsRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), onnx.RuntimeFile)
	if err := os.WriteFile(file, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := onnx.Open(t.Context(), file, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "is not that of onnxruntime-web 1.17.3") {
		t.Errorf("%v", err)
	}
}
