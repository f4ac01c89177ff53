// Cosignatures by witnesses (c2sp.org/tlog-cosignature, Ed25519), as a note.Verifier of sumdb/note,
// which knows only signatures of type 1.

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

const typeCosignature = 4

// witness is the public key of a witness.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.hash }

func (w witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(w.key, cosigned(text, binary.BigEndian.Uint64(signature)), signature[8:])
}

// cosigned is what a witness signs.
func cosigned(text []byte, time uint64) []byte {
	return append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", time)), text...)
}

// encoded is a public key behind its type.
func encoded(key ed25519.PublicKey) []byte { return append([]byte{typeCosignature}, key...) }

func keyHash(name string, key ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), encoded(key)...))
	return binary.BigEndian.Uint32(sum[:])
}

func parseWitness(vkey string) (witness, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return witness{}, errors.New("the key does not have three parts")
	}
	bytes, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return witness{}, err
	}
	if len(bytes) != 1+ed25519.PublicKeySize || bytes[0] != typeCosignature {
		return witness{}, errors.New("the key is not a witness's")
	}
	key := ed25519.PublicKey(bytes[1:])
	hash := keyHash(parts[0], key)
	if parts[1] != fmt.Sprintf("%08x", hash) {
		return witness{}, errors.New("the id is not that of the key")
	}
	return witness{parts[0], hash, key}, nil
}

func checkCosigned(path, vkey string) error {
	witness, err := parseWitness(vkey)
	if err != nil {
		return err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	opened, err := note.Open(file, note.VerifierList(witness))
	if err != nil {
		return err
	}
	bytes, err := base64.StdEncoding.DecodeString(opened.Sigs[0].Base64)
	if err != nil {
		return err
	}
	signed := time.Unix(int64(binary.BigEndian.Uint64(bytes[4:])), 0)
	if age := time.Since(signed); age < -time.Minute || age > time.Hour {
		return fmt.Errorf("it is dated %v", signed)
	}
	fmt.Printf("cosigned by %s\n", witness.name)
	return nil
}

func cosign(path, name string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, _, found := bytes.Cut(file, []byte("\n\n"))
	if !found {
		return errors.New("the checkpoint is not signed")
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	hash, now := keyHash(name, public), uint64(time.Now().Unix())
	signature := binary.BigEndian.AppendUint32(nil, hash)
	signature = binary.BigEndian.AppendUint64(signature, now)
	signature = append(signature, ed25519.Sign(private, cosigned(append(text, '\n'), now))...)
	fmt.Printf("%s+%08x+%s\n", name, hash, base64.StdEncoding.EncodeToString(encoded(public)))
	fmt.Printf("— %s %s\n", name, base64.StdEncoding.EncodeToString(signature))
	return nil
}
