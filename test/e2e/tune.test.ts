// A tuning loop with real commands in the real sandbox, from the command line.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, type Place, place } from './loop-fixture.ts'

const manifest = {
  workloadId: 'totals',
  artifactPaths: ['rules.txt'],
  casePaths: ['cases/*.txt'],
  expectedPaths: ['expected/{name}.txt'],
  // A workload that looks for answers: there are none in its copy.
  runCommand:
    'word=$(sed -n "s/^word: //p" rules.txt); ls cases expected ../expected 2>/dev/null >&2; sed -n "s/^$word: //p" {case} > {output}',
  outputPath: 'out/{name}.txt',
  evaluateCommand:
    'if cmp -s {output} {expected}; then echo \'{"pass": true}\'; else echo \'{"pass": false, "critique": "other"}\'; fi',
  maxIterations: 1,
  repeats: { baseline: 2, proof: 2 },
  knobs: { word: { type: 'choice', text: 'word: {value}\n', values: ['Sum', 'Total', 'Amount'] } },
}

function workload(more: object = {}, keys = 'apply: proven'): Place {
  const at = place(`loop: tune\nname: totals\npick: policy\nsearch: { passes: 1 }\n${keys}\n`)
  for (const folder of ['cases', 'expected']) mkdirSync(join(at.work, folder))
  for (const [name, amount] of Object.entries({ '$(touch x)': '1', b: '22', c: '333', d: '4' })) {
    writeFileSync(join(at.work, 'cases', `${name}.txt`), `Invoice ${name}\nTotal: ${amount}\n`)
    writeFileSync(join(at.work, 'expected', `${name}.txt`), `${amount}\n`)
  }
  writeFileSync(join(at.work, 'rules.txt'), 'word: Sum\n')
  writeFileSync(join(at.work, 'loop.manifest.json'), JSON.stringify({ ...manifest, ...more }))
  return at
}

const debriefOf = ({ work }: Place): string => {
  const folder = join(work, 'logs', 'loop')
  const [run = ''] = readdirSync(folder)
  return readFileSync(join(folder, run, 'LOOP.md'), 'utf8')
}

test('finds the knob, proves the gain, changes the file, and leaves nothing else behind', async () => {
  const at = workload()
  const ended = await ctl(at, 'run', at.file, '--trust', '--no-input')
  expect(ended.stdout + ended.stderr).toContain('completed: converged')
  expect(readFileSync(join(at.work, 'rules.txt'), 'utf8')).toBe('word: Total\n')
  const debrief = debriefOf(at)
  expect(debrief).toContain('Baseline: 0 of 4 (0 %) cases passed; now 4 of 4 (100 %)')
  expect(debrief).toContain('Improved on this suite: +100.0 pt')
  expect(readdirSync(at.work).toSorted()).toEqual([
    'cases',
    'expected',
    'logs',
    'loop.manifest.json',
    'rules.txt',
  ])
  expect(existsSync(join(at.work, 'x'))).toBe(false)
  expect(readdirSync(join(at.state, 'copies'))).toEqual([])
})

const composer = `
import { readdirSync, readFileSync } from 'node:fs'
let prompt = ''
for await (const chunk of process.stdin) prompt += chunk
const tryTo = (look) => { try { return look() } catch { return 'nothing' } }
const seen = [
  readdirSync('.').join(),
  tryTo(() => readdirSync(process.argv[2]).join()),
  tryTo(() => readFileSync(process.argv[2] + '/cases/b.txt', 'utf8')),
]
const option = (word, recommended) => ({
  name: word, summary: 'Read the line of ' + word, recommended, predicts: ['cases/b.txt'],
  mechanism: 'Another anchor: the amount stands behind the word ' + word + ' in the text',
  edits: [{ file: 'rules.txt', current: 'word: Sum', proposed: 'word: ' + word }],
})
console.log(JSON.stringify({
  rootCause: 'It reads the wrong line. Seen: ' + JSON.stringify(seen) + (prompt.includes('word: Sum') ? ' With artifact.' : ''),
  options: [option('Total', true), option('Amount', false), option('Due', false)],
}))
`

test('an agent composes from its prompt alone: neither files nor cases of the workspace are there', async () => {
  const program = join(mkdtempSync(join(tmpdir(), 'loopwright-composer-')), 'composer.mjs')
  const at = workload(
    { knobs: {} },
    `apply: proven\nagents: { composer: { command: [node, ${program}] } }`,
  )
  writeFileSync(program, composer.replaceAll('process.argv[2]', JSON.stringify(at.work)))
  const ended = await ctl(at, 'run', at.file, '--trust', '--no-input')
  expect(ended.stdout + ended.stderr).toContain('completed: converged')
  expect(readFileSync(join(at.work, 'rules.txt'), 'utf8')).toBe('word: Total\n')
  const [run = ''] = readdirSync(join(at.work, 'logs', 'loop'))
  const log = readFileSync(join(at.work, 'logs', 'loop', run, 'LOOP_LOG.md'), 'utf8')
  expect(log).toContain('Seen: ["","nothing","nothing"] With artifact.')
})

test('what is wrong with a manifest is said before a run exists', async () => {
  const at = workload({ runCommand: 'sh -c "cat {case}"', casePath: [] })
  const { code, stderr } = await ctl(at, 'run', at.file, '--trust', '--no-input')
  expect(code).not.toBe(0)
  expect(stderr).toContain('$.casePath: there is no')
  expect((await ctl(at, 'list', '--json')).stdout).not.toContain('totals')
})
