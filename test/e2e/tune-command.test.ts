// `loopctl tune` in a folder without a manifest: answers make one, and the loop goes on to the proof.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseLog } from '../../src/loops/tune/report/parse-log.ts'
import { tuneViewSchema } from '../../src/protocol/index.ts'
import { inProof } from '../share.ts'
import { ctl, type Place, place } from './loop-fixture.ts'

const knobs = { word: { type: 'choice', text: 'word: {value}\n', values: ['Sum', 'Total'] } }

const answers = {
  depth: 'short',
  workloadId: 'totals',
  runCommand: 'word=$(sed -n "s/^word: //p" rules.txt); sed -n "s/^$word: //p" {case} > {output}',
  outputPath: 'out/{name}.txt',
  artifactPaths: 'rules.txt',
  evaluateCommand: '',
  expectedPaths: 'expected/{name}.txt',
  casePaths: 'cases/*.txt',
  'confirm manifest 1': 'change',
  'change manifest 1': `knobs = ${JSON.stringify(knobs)}`,
  'confirm manifest 2': 'change',
  'change manifest 2': 'repeats = {"baseline": 2, "proof": 2}',
  'confirm manifest': 'confirm',
  'save manifest': 'loop.manifest.json',
}

function folder(): Place {
  const at = place('prompt: not used\nagent: repair\nchecks: { a: "true" }\n')
  for (const name of ['cases', 'expected']) mkdirSync(join(at.work, name))
  for (const [name, amount] of Object.entries({ a: '1', b: '22', c: '3' })) {
    writeFileSync(join(at.work, 'cases', `${name}.txt`), `Total: ${amount}\n`)
    writeFileSync(join(at.work, 'expected', `${name}.txt`), `${amount}\n`)
  }
  writeFileSync(join(at.work, 'rules.txt'), 'word: Sum\n')
  return at
}

test('without a manifest and without answers it says what to do', async () => {
  const at = folder()
  const missing = await ctl(at, 'tune', '--workspace', at.work)
  expect(missing.stderr).toMatch(
    /There is no manifest loop\.manifest\.json.*--manifest.*--pick ask/,
  )
})

test.each(inProof)('answers make a manifest, and one value shows it all, %s', async () => {
  const at = folder()
  const file = join(at.state, '..', 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  const tune = ['tune', '--workspace', at.work] as const
  const chosen = ['--case', 'cases/a.txt', '--case', 'cases/b.txt'] as const
  const ended = await ctl(
    at,
    ...tune,
    '--answers',
    file,
    '--apply',
    'kept',
    ...chosen,
    '--name',
    'first',
  )
  expect(ended.stdout + ended.stderr).toContain('completed: converged')
  expect(JSON.parse(readFileSync(join(at.work, 'loop.manifest.json'), 'utf8'))).toMatchObject({
    workloadId: 'totals',
    knobs,
  })
  expect(readFileSync(join(at.work, 'rules.txt'), 'utf8')).toBe('word: Total\n')
  expect(existsSync(join(at.work, 'out'))).toBe(false)
  const shown = await ctl(at, '--json', 'tune', 'show', 'first')
  const view = tuneViewSchema.parse(JSON.parse(shown.stdout))
  expect(view).toMatchObject({ phase: 'ended', best: { passing: { passing: 2, of: 2 } } })
  expect(view.matrix.cases.map(({ id, now }) => [id, now])).toEqual([
    ['cases/a.txt', 'passing'],
    ['cases/b.txt', 'passing'],
  ])
  const log = parseLog((await ctl(at, 'tune', 'log', 'first')).stdout)
  expect(log).toContainEqual(expect.objectContaining({ type: 'iteration-complete', iteration: 2 }))
  expect(log).toContainEqual(expect.objectContaining({ atMs: expect.any(Number) }))
})

test.each(inProof)('another machine continues from the log alone, %s', async () => {
  const at = folder()
  const file = join(at.state, '..', 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  const apply = ['--apply', 'never'] as const
  await ctl(at, 'tune', '--workspace', at.work, '--answers', file, ...apply, '--name', 'first')
  const log = join(at.state, '..', 'LOOP_LOG.md')
  writeFileSync(log, (await ctl(at, 'tune', 'log', 'first')).stdout)
  const other = { ...at, state: join(at.state, '..', 'other') }
  const tune = ['tune', '--workspace', at.work, '--continue', log, ...apply] as const
  const ended = await ctl(other, ...tune, '--name', 'second')
  expect(ended.stdout + ended.stderr).toContain('completed: converged')
  const shown = await ctl(other, '--json', 'tune', 'show', 'second')
  const view = tuneViewSchema.parse(JSON.parse(shown.stdout))
  expect(view.hypotheses.map(({ iteration }) => iteration)).toEqual([1, 2, 3])
  expect(view).toMatchObject({ proof: { verdict: 'improved' }, applied: 'nothing' })
})
