// Checks what daybook proves by code that has nothing to do with it: the tree by
// golang.org/x/mod/sumdb/tlog, signatures by golang.org/x/mod/sumdb/note.
//
//	independent tree FILE             leaves, roots and paths as a test has written them
//	independent check FILE VKEY       a checkpoint, a tlog-proof or a proof between two positions
//	independent cosigned FILE VKEY    a checkpoint, by the key of a witness
//	independent cosign FILE NAME      cosigns a checkpoint with a new key: prints the verifier key
//	                                  and the line
//
// It ends with 1 where anything does not hold.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "tree":
		err = checkTrees(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "check":
		err = checkFile(os.Args[2], os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "cosigned":
		err = checkCosigned(os.Args[2], os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "cosign":
		err = cosign(os.Args[2], os.Args[3])
	default:
		err = errors.New("usage: independent tree FILE | check FILE VKEY | cosigned FILE VKEY | cosign FILE NAME")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "independent:", err)
		os.Exit(1)
	}
}

// hashes holds the stored hashes of a tree that grows by leaves.
type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(h)) {
			return nil, fmt.Errorf("no hash %d", index)
		}
		found[i] = h[index]
	}
	return found, nil
}

// root is the root of a tree; x/mod gives none of an empty one (RFC 6962, section 2.1).
func (h hashes) root(size int64) (tlog.Hash, error) {
	if size == 0 {
		return tlog.Hash(sha256.Sum256(nil)), nil
	}
	return tlog.TreeHash(size, h)
}

func checkTrees(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var stored hashes
	var leaves []tlog.Hash
	counts := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		counts[words[0]]++
		switch words[0] {
		case "tree":
			stored, leaves = nil, nil
		case "leaf":
			var entry []byte
			if entry, err = base64.StdEncoding.DecodeString(words[1]); err == nil {
				leaf := tlog.RecordHash(entry)
				var added []tlog.Hash
				added, err = tlog.StoredHashesForRecordHash(int64(len(leaves)), leaf, stored)
				stored, leaves = append(stored, added...), append(leaves, leaf)
			}
		case "root":
			err = checkRoot(words[1:], stored)
		case "inclusion":
			err = checkInclusion(words[1:], leaves, stored)
		case "consistency":
			err = checkConsistency(words[1:], stored)
		default:
			err = fmt.Errorf("unknown line %q", words[0])
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %v", path, number, words[0], err)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if counts["root"] == 0 || counts["inclusion"] == 0 || counts["consistency"] == 0 {
		return errors.New("the file checks nothing")
	}
	fmt.Printf("%d trees, %d leaves: %d roots, %d inclusion and %d consistency proofs hold\n",
		counts["tree"], counts["leaf"], counts["root"], counts["inclusion"], counts["consistency"])
	return nil
}

func checkRoot(words []string, stored hashes) error {
	size, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return err
	}
	said, err := tlog.ParseHash(words[1])
	if err != nil {
		return err
	}
	root, err := stored.root(size)
	if err != nil {
		return err
	}
	if root != said {
		return fmt.Errorf("at %d it is %v, not %v", size, root, said)
	}
	return nil
}

// numbers reads two numbers and the hashes behind them.
func numbers(words []string) (int64, int64, []tlog.Hash, error) {
	first, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return 0, 0, nil, err
	}
	second, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return 0, 0, nil, err
	}
	path, err := parseHashes(words[2:])
	return first, second, path, err
}

func parseHashes(words []string) ([]tlog.Hash, error) {
	var path []tlog.Hash
	for _, word := range words {
		hash, err := tlog.ParseHash(word)
		if err != nil {
			return nil, err
		}
		path = append(path, hash)
	}
	return path, nil
}

func checkInclusion(words []string, leaves []tlog.Hash, stored hashes) error {
	index, size, path, err := numbers(words)
	if err != nil {
		return err
	}
	root, err := stored.root(size)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(path, size, root, index, leaves[index])
}

func checkConsistency(words []string, stored hashes) error {
	from, to, path, err := numbers(words)
	if err != nil {
		return err
	}
	before, err := stored.root(from)
	if err != nil {
		return err
	}
	after, err := stored.root(to)
	if err != nil {
		return err
	}
	return tlog.CheckTree(path, to, after, from, before)
}

// checkpoint is what a C2SP tlog-checkpoint says once its signature is verified.
type checkpoint struct {
	origin string
	size   int64
	root   tlog.Hash
}

func open(signed []byte, verifiers note.Verifiers) (checkpoint, error) {
	opened, err := note.Open(signed, verifiers)
	if err != nil {
		return checkpoint{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 {
		return checkpoint{}, errors.New("the checkpoint has too few lines")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return checkpoint{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return checkpoint{}, err
	}
	if lines[0] != opened.Sigs[0].Name {
		return checkpoint{}, errors.New("the origin is not the signer")
	}
	return checkpoint{lines[0], size, root}, nil
}

func checkFile(path, vkey string) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	verifiers := note.VerifierList(verifier)
	bytes, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch line, _, _ := strings.Cut(string(bytes), "\n"); line {
	case "c2sp.org/tlog-proof@v1":
		return checkEvent(bytes, verifiers)
	case "daybook/consistency@v1":
		return checkExtension(bytes, verifiers)
	}
	signed, err := open(bytes, verifiers)
	if err == nil {
		fmt.Printf("checkpoint of %s at %d: signed\n", signed.origin, signed.size)
	}
	return err
}

func checkEvent(file []byte, verifiers note.Verifiers) error {
	head, signed, found := bytes.Cut(file, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !found || len(lines) < 3 {
		return errors.New("the proof has too few lines")
	}
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return err
	}
	var document struct {
		Entry []byte
		Event string
	}
	if err := json.Unmarshal(extra, &document); err != nil {
		return err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return err
	}
	path, err := parseHashes(lines[3:])
	if err != nil {
		return err
	}
	tree, err := open(signed, verifiers)
	if err != nil {
		return err
	}
	leaf := tlog.RecordHash(document.Entry)
	if err := tlog.CheckRecord(path, tree.size, tree.root, index, leaf); err != nil {
		return err
	}
	fmt.Printf("entry %d of %d under the root of %s: included\n", index, tree.size, tree.origin)
	return nil
}

func checkExtension(file []byte, verifiers note.Verifiers) error {
	parts := bytes.Split(file, []byte("\n\n"))
	if len(parts) != 5 {
		return fmt.Errorf("the proof has %d parts instead of 5", len(parts))
	}
	join := func(text, signatures []byte) []byte {
		note := append(append(append([]byte{}, text...), "\n\n"...), signatures...)
		if !bytes.HasSuffix(note, []byte("\n")) {
			note = append(note, '\n')
		}
		return note
	}
	before, err := open(join(parts[1], parts[2]), verifiers)
	if err != nil {
		return err
	}
	after, err := open(join(parts[3], parts[4]), verifiers)
	if err != nil {
		return err
	}
	path, err := parseHashes(strings.Split(string(parts[0]), "\n")[3:])
	if err != nil {
		return err
	}
	err = tlog.CheckTree(path, after.size, after.root, before.size, before.root)
	if err == nil {
		fmt.Printf("%s from %d to %d: extended\n", after.origin, before.size, after.size)
	}
	return err
}
