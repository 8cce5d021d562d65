// Judges and workloads that a tuning loop must survive, in the real sandbox: nothing of the user changes, nothing sealed leaks, and what
// went wrong is said.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, type Place, place } from './loop-fixture.ts'

const rules = 'word: Sum\n'

function workload(evaluateCommand: string, more: object = {}): Place {
  const at = place('loop: tune\nname: hostile\npick: policy\napply: kept\nsearch: { passes: 1 }\n')
  for (const folder of ['cases', 'expected']) mkdirSync(join(at.work, folder))
  for (const name of ['a', 'b', 'c', 'd']) {
    writeFileSync(join(at.work, 'cases', `${name}.txt`), `canary-${name}\nTotal: 1\n`)
    writeFileSync(join(at.work, 'expected', `${name}.txt`), '1\n')
  }
  writeFileSync(join(at.work, 'rules.txt'), rules)
  const manifest = {
    workloadId: 'hostile',
    artifactPaths: ['rules.txt'],
    casePaths: ['cases/*.txt'],
    expectedPaths: ['expected/{name}.txt'],
    runCommand: 'sed -n "s/^$(sed -n "s/^word: //p" rules.txt): //p" {case} > {output}',
    outputPath: 'out/{name}.txt',
    evaluateCommand,
    maxIterations: 1,
    repeats: { baseline: 2, proof: 2 },
    timeouts: { evaluate: '2s' },
    knobs: { word: { type: 'choice', text: 'word: {value}\n', values: ['Sum', 'Total'] } },
    ...more,
  }
  writeFileSync(join(at.work, 'loop.manifest.json'), JSON.stringify(manifest))
  return at
}

const filesOf = (at: Place): readonly string[] =>
  readdirSync(at.work, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('logs'))
    .toSorted()

const logOf = ({ work }: Place): string => {
  const folder = join(work, 'logs', 'loop')
  const [run = ''] = readdirSync(folder)
  return readFileSync(join(folder, run, 'LOOP_LOG.md'), 'utf8')
}

test.each([
  ['prints no JSON', 'echo fine', 'it printed no JSON'],
  ['prints 100 MB', 'head -c 100000000 /dev/zero | tr "\\0" x', 'evaluateCommand failed'],
  ['hangs', 'sleep 60', 'it took too long'],
  ['ends with an error and says nothing', 'exit 1', 'it printed nothing (exit code 1)'],
])(
  'a judge that %s stops the calibration, and nothing else happens',
  async (_what, judge, reason) => {
    const at = workload(judge)
    const before = filesOf(at)
    const ended = await ctl(at, 'run', at.file, '--trust', '--no-input')
    expect(ended.code).not.toBe(0)
    expect(ended.stdout + ended.stderr).toContain(reason)
    expect(filesOf(at)).toEqual(before)
  },
)

test('a judge that edits the artifact, writes elsewhere and looks for sealed cases changes and finds nothing', async () => {
  const judge = [
    'echo hacked > rules.txt',
    'rm -rf cases expected',
    'mkdir -p cases; echo x > cases/new.txt; echo x > ../escaped.txt; echo x > /tmp/escaped.txt',
    'seen=$(grep -rhs canary[-] . .. /tmp /home /root | sort -u | tr "\\n" " ")',
    'if [ "$(cat {output})" = 1 ]; then pass=true; else pass=false; fi',
    'printf \'{"pass": %s, "critique": "saw %s"}\' "$pass" "$seen"',
  ].join('; ')
  const at = workload(judge, { split: { holdout: 0.5, seed: 'x' }, timeouts: { evaluate: '60s' } })
  const before = filesOf(at)
  const ended = await ctl(at, 'run', at.file, '--trust', '--no-input')
  expect(ended.stdout + ended.stderr).toContain('completed: converged')
  expect(readFileSync(join(at.work, 'rules.txt'), 'utf8')).toBe('word: Total\n')
  expect(filesOf(at)).toEqual(before)
  expect(existsSync('/tmp/escaped.txt') || existsSync(join(at.work, '..', 'escaped.txt'))).toBe(
    false,
  )
  // Its cases were removed before it looked, and the sealed ones were never there.
  expect(logOf(at)).toContain('saw ')
  expect(logOf(at)).not.toMatch(/saw [^\n]*canary-/)
}, 300_000)
