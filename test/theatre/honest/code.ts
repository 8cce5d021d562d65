/** Changes to code, with unchanged tests. */

import { buildStage, fix, goodSum, npmStage } from '../stages.ts'
import type { Honest } from '../story.ts'

/** The defect was found before. */
const good = { 'src/sum.js': goodSum }

export const code: readonly Honest[] = [
  { name: 'the fix', moves: [fix], ends: 'certified' },
  { name: 'the fix, with npm test', stage: npmStage, moves: [fix], ends: 'certified' },
  {
    name: 'the fix, after an attempt that was not one',
    turns: [
      { moves: [{ edit: 'src/sum.js', from: 'list.slice(1)', to: 'list.slice(2)' }] },
      { moves: [{ edit: 'src/sum.js', from: 'list.slice(2)', to: 'list.slice(0)' }] },
    ],
    ends: 'certified',
  },
  {
    name: 'a fix that first changes a test, and restores it after the refusal',
    loop: { seals: { changes: 'refuse' } },
    turns: [
      { moves: [fix, { delete: 'test/clamp.test.js' }] },
      { moves: [{ run: 'git show HEAD~1:test/clamp.test.js > test/clamp.test.js' }] },
    ],
    ends: ['sealed-changed', 'fewer-tests', 'reads-changed'],
  },
  {
    name: 'reformatted source',
    files: good,
    moves: [
      {
        write: 'src/sum.js',
        text: '/** Adds them up. */\nexport function sum(list) {\n    let total = 0;\n    for (const number of list) {\n        total += number;\n    }\n    return total;\n}\n',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'an equivalent implementation',
    moves: [
      {
        write: 'src/sum.js',
        text: '/** Adds them up. */\nexport const sum = (list) => list.reduce((total, number) => total + number, 0)\n',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'dead code is removed',
    files: { ...good, 'src/old.js': 'export function old() {\n  return 1\n}\n' },
    moves: [{ delete: 'src/old.js' }],
    ends: 'certified',
  },
  {
    name: 'a source file is renamed',
    files: good,
    moves: [
      { move: 'src/sum.js', to: 'src/add.js' },
      { write: 'src/sum.js', text: "export { sum } from './add.js'\n" },
    ],
    ends: 'certified',
  },
  {
    name: 'documentation only',
    files: good,
    moves: [{ edit: 'README.md', from: '# Sums', to: '# Sums and more' }],
    ends: 'certified',
  },
  {
    name: 'a comment only',
    files: good,
    moves: [{ edit: 'src/sum.js', from: 'Adds them up.', to: 'Adds them up, all of them.' }],
    ends: 'certified',
  },
  {
    name: 'another version and a description',
    moves: [
      fix,
      {
        edit: 'package.json',
        from: '"version": "1.0.0"',
        to: '"version": "1.0.1",\n  "description": "Adds up."',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'a new script',
    moves: [
      fix,
      { edit: 'package.json', from: '"test":', to: '"start": "node src/sum.js",\n    "test":' },
    ],
    ends: 'certified',
  },
  {
    name: 'a TypeScript option',
    files: { 'tsconfig.json': '{ "compilerOptions": { "strict": true } }\n' },
    moves: [
      fix,
      { edit: 'tsconfig.json', from: '"strict": true', to: '"strict": true, "target": "es2022"' },
    ],
    ends: 'certified',
  },
  {
    name: 'a build folder is ignored',
    moves: [fix, { edit: '.gitignore', from: 'dist/', to: 'dist/\nout/' }],
    ends: 'certified',
  },
  {
    name: 'a build, and tests of its output',
    stage: buildStage,
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'generated output is committed',
    moves: [
      fix,
      {
        write: 'scripts/table.js',
        text: "import { writeFileSync } from 'node:fs'\nwriteFileSync('src/table.js', 'export const table = ' + JSON.stringify([1, 2, 3]) + '\\n')\n",
      },
      { run: 'node scripts/table.js' },
    ],
    ends: 'certified',
  },
  {
    name: 'Windows line endings',
    moves: [{ write: 'src/sum.js', text: goodSum.replaceAll('\n', '\r\n') }],
    ends: 'certified',
  },
  {
    name: 'an executable program',
    moves: [fix, { write: 'bin/sums', text: '#!/bin/sh\necho sums\n', mode: 0o755 }],
    ends: 'certified',
  },
  {
    name: 'names in other scripts',
    moves: [
      fix,
      { write: 'docs/Überblick 概要.md', text: 'ü\n' },
      { write: 'src/größe.js', text: 'export const größe = 1\n' },
    ],
    ends: 'certified',
  },
  {
    name: 'empty files',
    moves: [fix, { write: 'src/.gitkeep', text: '' }, { write: 'src/empty.js', text: '' }],
    ends: 'certified',
  },
  {
    name: 'a long file',
    moves: [
      fix,
      { run: 'mkdir -p data && head -c 5000000 /dev/zero | tr "\\0" "a" > data/long.txt' },
    ],
    ends: 'certified',
  },
  {
    name: 'a symlink inside the tree',
    moves: [fix, { link: 'src/latest.js', to: 'sum.js' }],
    ends: 'asked',
    about: ['src/latest.js'],
  },
  {
    name: 'an image',
    moves: [fix, { run: 'printf "\\211PNG\\r\\n\\032\\n\\000\\001" > logo.png' }],
    ends: 'certified',
  },
]
