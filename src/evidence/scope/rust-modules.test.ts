import { expect, test } from 'vitest'
import { classifyTrees, classLines } from '../../testing/classify-trees.ts'

const crate = {
  'Cargo.toml': '[package]\nname = "x"\nversion = "1.0.0"\n',
  'src/lib.rs': 'pub mod add;\npub mod limits;\n',
  'src/add.rs': 'pub fn add() {}\n',
  'src/limits.rs': 'pub fn clamp() {}\n',
  'tests/add.rs': '#[path = "../src/add.rs"]\nmod add;\n',
}

test.each([
  ['is work', { 'src/add.rs': 'pub fn add() { 1 }\n' }, ['work src/add.rs']],
  [
    'is asked about where the crate takes another file for the module',
    {
      'src/add.rs': 'pub fn add() { 1 }\n',
      'src/adding.rs': 'pub fn add() {}\n',
      'src/lib.rs': '#[path = "adding.rs"]\npub mod add;\npub mod limits;\n',
    },
    ['other src/add.rs', 'work src/adding.rs', 'work src/lib.rs'],
  ],
  [
    'is asked about where another module has taken its place',
    {
      'src/add.rs': 'pub fn add() { 1 }\n',
      'src/adding.rs': 'pub fn add() {}\n',
      'src/lib.rs': 'mod adding;\npub use adding as add;\npub mod limits;\n',
    },
    ['other src/add.rs', 'work src/adding.rs', 'work src/lib.rs'],
  ],
  [
    'is work where it moves',
    {
      'src/add.rs': null,
      'src/sums.rs': 'pub fn add() { 1 }\n',
      'src/lib.rs': 'pub mod limits;\npub mod sums;\n',
    },
    ['work src/add.rs', 'work src/lib.rs', 'work src/sums.rs'],
  ],
])('a module of Rust that changes %s', async (_what, changed, expected) => {
  expect(classLines(await classifyTrees(crate, changed))).toEqual(expected)
})
