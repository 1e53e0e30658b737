//go:build performance

package performance

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// bareRead reads all nodes in pages as protobuf and decodes no more than it must to turn the page: below this no client
// that reads whole nodes can come.
func bareRead(server, tokenFile, caFile string) int {
	n, err := countNodes(server, tokenFile, caFile)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(n, "nodes")
	return 0
}

func countNodes(server, tokenFile, caFile string) (int, error) {
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return 0, err
	}
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return 0, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true,
	}}
	total, next := 0, ""
	for {
		request, err := http.NewRequest(http.MethodGet, server+"/api/v1/nodes?limit=500&continue="+url.QueryEscape(next), nil)
		if err != nil {
			return 0, err
		}
		request.Header.Set("Accept", "application/vnd.kubernetes.protobuf")
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return 0, err
		}
		if response.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("%s: %.200s", response.Status, body)
		}
		n, more, err := page(body)
		if err != nil {
			return 0, err
		}
		if total += n; more == "" {
			return total, nil
		}
		next = more
	}
}

// page counts a list's items and finds the token of the next page. A body is four bytes "k8s\0" and an envelope that holds
// the list as field 2; of the list field 1 is its metadata, whose field 3 is the token, and each field 2 an item.
func page(body []byte) (items int, next string, err error) {
	if len(body) < 4 || string(body[:4]) != "k8s\x00" {
		return 0, "", errors.New("not protobuf")
	}
	err = fields(body[4:], func(number uint64, list []byte) error {
		if number != 2 {
			return nil
		}
		return fields(list, func(number uint64, value []byte) error {
			if number == 2 {
				items++
				return nil
			}
			return fields(value, func(number uint64, value []byte) error {
				if number == 3 {
					next = string(value)
				}
				return nil
			})
		})
	})
	return items, next, err
}

// fields calls yield for each field that has a length: strings and messages. Others are numbers.
func fields(message []byte, yield func(number uint64, value []byte) error) error {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 {
			return errors.New("broken protobuf: key")
		}
		message = message[n:]
		value, n := binary.Uvarint(message)
		if n <= 0 {
			return errors.New("broken protobuf: value")
		}
		message = message[n:]
		switch key & 7 {
		case 0:
		case 2:
			if value > uint64(len(message)) {
				return errors.New("broken protobuf: length")
			}
			if err := yield(key>>3, message[:value]); err != nil {
				return err
			}
			message = message[value:]
		default:
			return fmt.Errorf("broken protobuf: wire type %d", key&7)
		}
	}
	return nil
}
