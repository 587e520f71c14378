package ui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// picturesEnv set to 1 has the pictures of docs/ made again.
const picturesEnv = "OUTRIGGER_PICTURES"

// Of a picture.
const (
	pictureWidth, pictureHeight = 1280, 800
	pictureBytes                = 120 << 10 // at most
)

// pictures are those of docs/: they exist, and are what people see.
func (s *stage) pictures(t *testing.T) {
	for name, view := range map[string]string{
		"ui-queue.png": "#queue",
		"ui-nodes.png": "#nodes/" + url.PathEscape(genome.unit()),
	} {
		path := filepath.Join("../../../docs", name)
		page := s.page(t)
		page.Open("/" + view)
		page.Until("drawn", "document.querySelector('section:not([hidden])').innerText.length > 200 && document.getElementById('state').innerText.trim() === ''")
		if view == "#queue" {
			page.UntilText(sweep.name)
			page.Evaluate(fmt.Sprintf("[...document.querySelectorAll('#queue-rows button')].find((each) => each.innerText.includes(%q)).click()",
				vision.name), nil)
		} else {
			page.UntilText(fmt.Sprintf("%d nodes outlined", genome.size))
			page.TabTo("#field", 30)
			page.Press("Home", "ArrowRight", "Enter")
			page.Evaluate("document.activeElement.blur()", nil)
		}
		small := fewColours(t, page.Screenshot())
		if os.Getenv(picturesEnv) == "1" {
			s.Must(os.WriteFile(path, small, 0o644))
		}
		kept, err := os.ReadFile(path)
		s.Must(err)
		size, kind, err := image.DecodeConfig(bytes.NewReader(kept))
		s.Must(err)
		if kind != "png" || size.Width != pictureWidth || size.Height != pictureHeight || len(kept) > pictureBytes {
			t.Errorf("%s is %s, %d to %d, %d bytes", path, kind, size.Width, size.Height, len(kept))
		}
	}
}

// fewColours makes a PNG of 256 colours, the most frequent ones: a third of the bytes.
func fewColours(t *testing.T, whole []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[color.RGBA]int{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for each := range counts {
		colours = append(colours, each)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int { return counts[b] - counts[a] })
	palette := color.Palette{}
	for _, each := range colours[:min(256, len(colours))] {
		palette = append(palette, each)
	}
	to := image.NewPaletted(from.Bounds(), palette)
	draw.Draw(to, to.Bounds(), from, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
