// Contrast of the app's colours, light and dark, by WCAG 2.2: 4.5 for text, 3 for large text and for what is no text.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { project } from './folders.mjs'

const SMALL_TEXT = 4.5
const LARGE_OR_GRAPHIC = 3

const GROUNDS = ['background', 'card', 'field']
const TONES = ['good', 'bad', 'warning', 'neutral']
const PAIRS = [
  ...GROUNDS.flatMap((ground) => ['text', 'text_secondary'].map((text) => [text, ground, SMALL_TEXT])),
  ...['background', 'card'].map((ground) => ['primary_text', ground, SMALL_TEXT]),
  ['bad_text', 'card', SMALL_TEXT],
  ...TONES.map((tone) => [`${tone}_text`, `${tone}_background`, SMALL_TEXT]),
  ['on_primary', 'primary', LARGE_OR_GRAPHIC], // buttons have large bold letters
  ...['background', 'card'].map((ground) => ['primary', ground, LARGE_OR_GRAPHIC]),
  ['primary', 'bar_track', 2.5], // beside the figures in words
  ['field_border', 'card', LARGE_OR_GRAPHIC],
  ...['bar_succeeded', 'bar_failed', 'bar_cancelled', 'bar_wait'].map((bar) => [bar, 'field', LARGE_OR_GRAPHIC]),
]

function luminance(colour) {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
  const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

for (const mode of ['base', 'dark']) {
  const file = path.join(project, `entry/src/main/resources/${mode}/element/color.json`)
  const colours = Object.fromEntries(JSON.parse(fs.readFileSync(file, 'utf8')).color.map(({ name, value }) => [name, value]))
  for (const [front, ground, least] of PAIRS) {
    test(`${mode}: ${front} on ${ground}`, () => {
      const found = contrast(colours[front], colours[ground])
      assert.ok(found >= least, `${colours[front]} on ${colours[ground]}: ${found.toFixed(2)}, wanted ${least}`)
    })
  }
}

test('the figures of the reference', () => {
  assert.equal(contrast('#0D9488', '#F7FAFD').toFixed(2), '3.57')
  assert.equal(contrast('#000000', '#FFFFFF').toFixed(2), '21.00')
})
