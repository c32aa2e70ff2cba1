package transcribe

import (
	"cmp"
	"context"

	"fieldlift/internal/ocr"
	"fieldlift/internal/scan"
)

// look is the recognition of one page, which may take more than one try.
type look struct {
	*Transcriber
	path     string
	number   int
	picture  scan.Picture // the one that was read
	tongue   *tongue
	language string // the page's
}

const (
	// How much must speak for a page standing on its head to believe it.
	sure = 0.8
	// Text that is recognised no better than this may lie in another way.
	doubtful = 0.5
)

// read finds out how a page lies and reads it. Its letters say so cheaply, so
// they are believed at first; only when the text then makes little sense are
// other ways tried on a few lines.
func (l *look) read(ctx context.Context, p scan.Picture) ([]ocr.Word, error) {
	var err error
	switch {
	case p.Upright <= -sure:
		p = p.HeadDown()
	case p.Turned != 0 && p.Upright < sure:
		// Sheets that lie sideways do so either way; upright ones seldom stand on their heads.
		if p, _, err = l.upright(ctx, p); err != nil {
			return nil, err
		}
	}
	words, err := l.readWhole(ctx, p)
	if err != nil {
		return nil, err
	}
	l.picture = p
	if _, mean := ocr.Quality(words); mean >= doubtful || p.Letter == 0 {
		return words, nil
	}
	better, err := l.otherwise(ctx, p)
	if err != nil || better.Turned == p.Turned {
		return words, err
	}
	l.picture = better
	return l.readWhole(ctx, better)
}

// otherwise looks for a way to turn a page by which a few of its lines read
// better than they do now.
func (l *look) otherwise(ctx context.Context, p scan.Picture) (scan.Picture, error) {
	best, now, err := l.upright(ctx, p)
	if err != nil || now.mean >= certain {
		return best, err
	}
	// Whatever its letters said of the way that lines run: they did not help.
	across, err := l.reader.Scan(ctx, l.path, l.number, (p.Turned+90)%180)
	if err != nil || across.Blank || across.Letter == 0 {
		return best, err
	}
	other, then, err := l.upright(ctx, across)
	// The lines differ in length, so that nonsense may be more than sense.
	if err != nil || then.sum*then.mean <= now.sum*now.mean {
		return best, err
	}
	return other, nil
}

// quality is how well some lines read.
type quality struct{ sum, mean float64 }

// upright turns a picture by 180° if a few of its lines read better so, and
// tells how well they do.
func (l *look) upright(ctx context.Context, p scan.Picture) (scan.Picture, quality, error) {
	strip, _ := p.Strip()
	standing, err := l.try(ctx, strip)
	if err != nil || standing.mean >= certain {
		return p, standing, err
	}
	turned, err := l.try(ctx, strip.HeadDown())
	if err != nil || turned.sum <= standing.sum {
		return p, standing, err
	}
	return p.HeadDown(), turned, nil
}

// certain is how well text reads only when it stands upright.
const certain = 0.85

func (l *look) try(ctx context.Context, p scan.Picture) (quality, error) {
	words, err := l.recognizer.Recognize(ctx, asked(p, ocr.Block))
	if err != nil {
		return quality{}, err
	}
	sum, mean := ocr.Quality(words)
	return quality{sum, mean}, nil
}

// asked puts a prepared picture into the recogniser's words.
func asked(p scan.Picture, layout ocr.Layout) ocr.Picture {
	return ocr.Picture{Width: p.Width, Height: p.Height, Grey: p.Grey, DPI: p.DPI, Layout: layout}
}

// readWhole reads a whole page, and again if it turns out to be in another
// language than its document seemed to be.
func (l *look) readWhole(ctx context.Context, p scan.Picture) ([]ocr.Word, error) {
	installed, err := l.recognizer.Languages(ctx)
	if err != nil {
		return nil, err
	}
	l.language = cmp.Or(l.language, l.tongue.get(), installed[0])
	words, err := l.readIn(ctx, p, l.language)
	if err != nil || len(installed) == 1 {
		return words, err
	}
	other := language(words, l.language, installed)
	if _, mean := ocr.Quality(words); other == "" && mean < doubtful && p.Letter > 0 {
		if other, err = l.bestOn(ctx, p, installed); err != nil {
			return nil, err
		}
	}
	if other == "" || other == l.language {
		return words, nil
	}
	l.language = other
	l.tongue.set(other)
	return l.readIn(ctx, p, other)
}

// longReceipt is how many times higher than wide a picture is that has no columns: a
// long receipt.
const longReceipt = 1.75

func (l *look) readIn(ctx context.Context, p scan.Picture, language string) ([]ocr.Word, error) {
	layout := ocr.Page
	if float64(p.Height) > longReceipt*float64(p.Width) {
		layout = ocr.Block // else names and prices are taken for columns of text, and read one after the other
	}
	question := asked(p, layout)
	question.Languages = []string{language}
	return l.recognizer.Recognize(ctx, question)
}
