package plugin

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// pack stores a body so that large lists become small.
func pack(response *recordedResponse, body []byte) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(body) // a buffer takes everything
	_ = writer.Close()
	response.Body = base64.StdEncoding.EncodeToString(packed.Bytes())
	response.Headers.Set(headerEncoding, encodingPacked)
}

// unpack undoes pack, within a limit for the recording as a whole.
func unpack(response *recordedResponse, left *int64) error {
	if response.Headers == nil {
		response.Headers = http.Header{}
	}
	if response.Headers.Get(headerEncoding) == encodingPacked {
		reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(response.Body)))
		if err != nil {
			return errors.New("not a recording: a body cannot be unpacked")
		}
		body, err := io.ReadAll(io.LimitReader(reader, *left+1))
		if err != nil {
			return errors.New("not a recording: a body cannot be unpacked")
		}
		response.Body = string(body)
	}
	if *left -= int64(len(response.Body)); *left < 0 {
		return fmt.Errorf("its answers are larger than %d MiB", maxAnswers>>20)
	}
	if response.Code < 100 || response.Code > 999 {
		return errors.New("not a recording: an answer has no status code")
	}
	return nil
}
