package onnx

// What the functions of this build are called by those who made it small. Its
// script for browsers tells.
const (
	fnConstructors          = "L"
	fnInit                  = "M"
	fnLastError             = "N"
	fnCreateSessionOptions  = "O"
	fnReleaseSessionOptions = "S"
	fnCreateSession         = "T"
	fnInputName             = "W"
	fnOutputName            = "X"
	fnFreeOwn               = "Y" // what ONNX Runtime allocated itself
	fnCreateTensor          = "Z"
	fnTensorData            = "_"
	fnReleaseTensor         = "$"
	fnCreateRunOptions      = "aa"
	fnRun                   = "ja"
	fnAllocate              = "ma"
	fnFree                  = "na"
)

// What it calls: the module's name, and of its functions those that must do
// something. All others, which ask for files and time zones, are told that
// there are none.
const (
	hostModule      = "a"
	hostThrow       = "a"
	hostAbort       = "d"
	hostMonotonic   = "k"
	hostMap         = "l"
	hostScript      = "B"
	hostNow         = "h"
	hostTime        = "b"
	hostMostMemory  = "u"
	hostCopy        = "I"
	hostGrow        = "s"
	hostEnvironment = "D"
	hostClose       = "f"
	hostRead        = "j"
	hostSeek        = "q"
	hostWrite       = "i"
)
