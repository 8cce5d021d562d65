/**
 * `loopctl calibrate`: measures in a copy, reports what was missed, stores the result, and changes
 * nothing.
 */

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, environment, eventsOf, loopctl } from './loop-fixture.ts'
import { type Checkout, repository } from './worktree-fixture.ts'

const loop = `
name: areas
prompt: Mend it.
agent: { script: [[{ say: Done. }]] }
checks:
  test: node area.test.js
  lint: node --check area.js
`
const area = `export function area(width, height) {
  if (width < 0) return 0
  return width * height
}
`
const tests = `import { area } from './area.js'
if (area(2, 3) !== 6 || area(-1, 3) !== 0) throw new Error('wrong')
`

/** Its second commit is a fix with its test. */
function project(): Checkout {
  const at = repository(loop, {
    'package.json': '{ "type": "module" }\n',
    'area.js': area.replace('  if (width < 0) return 0\n', ''),
    'area.test.js': tests.replace(' || area(-1, 3) !== 0', ''),
  })
  writeFileSync(join(at.work, 'area.js'), area)
  writeFileSync(join(at.work, 'area.test.js'), tests)
  at.git('commit', '-qam', 'fix: nothing is smaller than nothing')
  return at
}

const left = (at: Checkout): readonly string[] => {
  const folder = join(at.state, 'certify')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('each check is tried on defects and on a reverted fix, and the result is stored', async () => {
  const at = project()
  const before = at.seen()
  const args = ['calibrate', at.file, '--trust', '--defects', '2', '--seed', '5']
  const ended = await ctl(at, '--json', ...args)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const report = JSON.parse(ended.stdout) as Record<string, unknown>
  expect(report).toMatchObject({
    loop: 'areas',
    commit: at.git('rev-parse', 'HEAD').trim(),
    seed: 5,
    planted: 1,
    revertedFixes: 1,
    good: 4,
    turnedAway: [],
    checks: [
      { check: 'test', falseRejects: { count: 0, n: 4 } },
      // It reads, and runs nothing.
      { check: 'lint', falseAccepts: { count: 2, n: 2, high: 1 }, falseRejects: { count: 0 } },
    ],
  })
  // Every survivor is reported with its position; the reverted fix was noticed.
  const survivors = report['survivors'] as readonly { source: string; file: string }[]
  expect(survivors.every(({ source, file }) => source === 'planted' && file === 'area.js')).toBe(
    true,
  )
  expect(at.seen()).toBe(before)
  expect(left(at)).toEqual([])
  const kept = readdirSync(join(at.state, 'calibration'))
  expect(kept.filter((name) => !name.startsWith('judges-'))).toHaveLength(2)
  // What levels read: how these checks, together, judge.
  expect(kept.filter((name) => name.startsWith('judges-'))).toHaveLength(1)

  // From now on it is shown next to the results of these checks.
  const ran = await ctl(at, '--json', 'run', at.file, '--in-place')
  const [found] = eventsOf(ran, 'step-finished').filter(({ step }) => step === 'check:lint#1')
  expect(found).toMatchObject({
    result: { value: { calibration: { falseAccepts: { count: 2, n: 2 } } } },
  })
})

test('says why it cannot measure, and what to do', async () => {
  const at = project()
  const calibrate = (...more: string[]): ReturnType<typeof ctl> =>
    ctl(at, 'calibrate', at.file, '--trust', '--defects', '1', ...more)
  writeFileSync(join(at.work, 'area.js'), 'export const area = () => 6\n')
  const dirty = await calibrate()
  expect(dirty.code).toBe(73)
  expect(dirty.stderr).toContain('uncommitted changes: area.js')
  at.git('commit', '-qam', 'broken')
  const failing = await calibrate()
  expect(failing.code).toBe(73)
  expect(failing.stderr).toContain('these checks do not pass: test (node area.test.js)')
  expect(failing.stderr).toContain('--base')
  writeFileSync(at.file, 'workspace: work\nprompt: x\nagent: repair\nchecks: { any: "true" }\n')
  at.git('mv', 'area.js', 'area.txt')
  at.git('commit', '-qm', 'no source')
  const nothing = await calibrate()
  expect(nothing.code).toBe(69)
  expect(nothing.stderr).toContain('Cannot plant defects in')
  expect(left(at)).toEqual([])
})

test('Ctrl-C leaves nothing behind', async () => {
  const at = repository(
    `prompt: x\nagent: { script: [[{ say: Done. }]] }\nchecks: { slow: sleep 60 }\n`,
    {
      'a.py': 'def a(x):\n    return x > 1\n',
    },
  )
  await ctl(at, 'trust', at.file)
  const child = spawn(process.execPath, [loopctl, 'calibrate', at.file], {
    env: environment(at.state),
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    if (/at most \d+ rounds\n$/.test(said)) child.kill('SIGINT')
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  expect(said).toContain('nothing was stored')
  expect(code).toBe(130)
  expect(left(at)).toEqual([])
  expect(existsSync(join(at.state, 'calibration'))).toBe(false)
})
