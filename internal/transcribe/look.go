package transcribe

import (
	"context"
	"strings"

	"fieldlift/internal/ocr"
	"fieldlift/internal/scan"
)

// look is the recognition of one page, which may take more than one try.
type look struct {
	*Transcriber
	path    string
	number  int
	picture scan.Picture // the one that was read
}

const (
	// How much must speak for a stance to believe it untried.
	sure = 0.6
	// Text that is recognised worse than this may lie in another way.
	poor = 0.55
)

// straighten tries a few lines of a picture the other way up, or the other way
// across, unless its letters alone say how it stands.
func (l *look) straighten(ctx context.Context, p scan.Picture) (scan.Picture, error) {
	if p.Upright >= sure && p.Across >= sure || p.Letter == 0 {
		return p, nil
	}
	if p.Upright <= -sure && p.Turned != 0 && p.Across <= -sure {
		return p.HeadDown(), nil
	}
	best, mean, err := l.better(ctx, p)
	if err != nil || mean >= poor {
		return best, err
	}
	across, err := l.Reader.Scan(ctx, l.path, l.number, (p.Turned+90)%180)
	if err != nil || across.Blank || across.Letter == 0 {
		return best, err
	}
	other, otherMean, err := l.better(ctx, across)
	if err != nil || otherMean <= mean {
		return best, err
	}
	return other, nil
}

// better turns a picture by 180° if that reads better, and tells how well it
// reads.
func (l *look) better(ctx context.Context, p scan.Picture) (scan.Picture, float64, error) {
	strip, _ := p.Strip()
	first, second := strip, strip.HeadDown()
	turned := p.Upright < 0
	if turned {
		first, second = second, first
	}
	sum, mean, err := l.try(ctx, first)
	if err != nil {
		return p, 0, err
	}
	if mean < certain {
		otherSum, otherMean, err := l.try(ctx, second)
		if err != nil {
			return p, 0, err
		}
		if otherSum > sum {
			turned, mean = !turned, otherMean
		}
	}
	if turned {
		p = p.HeadDown()
	}
	return p, mean, nil
}

// certain is how well text reads only when it stands upright.
const certain = 0.8

func (l *look) try(ctx context.Context, p scan.Picture) (sum, mean float64, err error) {
	words, err := l.Recognizer.Recognize(ctx, asked(p, ocr.Block))
	if err != nil {
		return 0, 0, err
	}
	sum, mean = ocr.Quality(words)
	return sum, mean, nil
}

// asked puts a prepared picture into the recogniser's words.
func asked(p scan.Picture, layout ocr.Layout) ocr.Picture {
	return ocr.Picture{Width: p.Width, Height: p.Height, Grey: p.Grey, DPI: p.DPI, Layout: layout}
}

// read reads a whole page.
func (l *look) read(ctx context.Context, p scan.Picture) ([]ocr.Word, string, error) {
	languages, err := l.choose(ctx, p)
	if err != nil {
		return nil, "", err
	}
	question := asked(p, ocr.Page)
	question.Languages = languages
	words, err := l.Recognizer.Recognize(ctx, question)
	l.picture = p
	return words, strings.Join(languages, "+"), err
}

// choose finds the languages of a page, if there is a choice.
func (l *look) choose(ctx context.Context, p scan.Picture) ([]string, error) {
	installed, err := l.Recognizer.Languages(ctx)
	if err != nil || len(installed) < 2 {
		return installed, err
	}
	strip, _ := p.Strip()
	best, chosen := 0.0, installed[0]
	for _, language := range installed {
		question := asked(strip, ocr.Block)
		question.Languages = []string{language}
		words, err := l.Recognizer.Recognize(ctx, question)
		if err != nil {
			return nil, err
		}
		if sum, _ := ocr.Quality(words); sum > best {
			best, chosen = sum, language
		}
	}
	return []string{chosen}, nil
}
