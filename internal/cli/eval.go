package cli

func evalCommand() command {
	return command{
		name:     "eval",
		synopsis: "--ocr [FILE|FOLDER…]",
		summary:  "Measure how well documents are read",
		about:    evalOCRAbout,
		run:      evalOCR,
	}
}
