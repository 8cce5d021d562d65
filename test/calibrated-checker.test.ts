// A checker that always says yes, or never, is found by calibration, and stops promotion; one that notices defects does not.

import { expect, test } from 'vitest'
import { ctl, type Place } from './e2e/loop-fixture.ts'
import { type Checkout, repository } from './e2e/worktree-fixture.ts'
import { share } from './share.ts'

/** Answers with the token of its prompt: always yes, or only if the tests of the project pass. */
const saying = (verdict: string): string =>
  `printf '{"token": "%s", "verdict": "%s", "reasons": []}' "$(sed -n 's/.*"token": "\\([A-Za-z0-9_-]*\\)".*/\\1/p' | tail -1)" "${verdict}"`

const honest = saying('$(node area.test.js >/dev/null 2>&1 && echo pass || echo fail)')

const loop = (checker: string): string => `
loop: round
name: sweeper
intent: Keep the areas right.
level: earned
propose: commit
scope: ['**']
agents:
  maker: { script: [[{ call: write, args: { path: note.txt, content: x } }, { say: Done. }]] }
  checker: { command: ${JSON.stringify(['sh', '-c', checker])} }
checks: { note: test -s note.txt || test -s area.js }
`

const area = `export function area(width, height) {
  if (width < 0) return 0
  return width * height
}
`
const tests = `import { area } from './area.js'
if (area(2, 3) !== 6 || area(-1, 3) !== 0 || area(0, 3) !== 0) throw new Error('wrong')
`

const project = (checker: string): Checkout =>
  repository(loop(checker), {
    'package.json': '{ "type": "module" }\n',
    'area.js': area,
    'area.test.js': tests,
  })

interface Standing {
  readonly missing: readonly string[]
}

async function missingOf(at: Place): Promise<readonly string[]> {
  const { stdout } = await ctl(at, '--json', 'levels', 'sweeper')
  return (JSON.parse(stdout.trimEnd()) as Standing).missing.filter((one) => one.includes('checker'))
}

const cases: readonly (readonly [string, string, number, readonly string[]])[] = [
  ['always says yes', saying('pass'), 1, ['the checker may accept 100 %']],
  ['never says yes', saying('fail'), 0, ['the checker rejects 100 % of correct changes']],
  ['notices defects', honest, 0, []],
]

test.each(share(cases, cases.slice(0, 1)))(
  'a checker that %s',
  async (_what, checker, accepted, missing) => {
    const at = project(checker)
    await ctl(at, 'run', at.file, '--trust', '--no-input', '--name', 'one')
    expect(await missingOf(at)).toEqual([expect.stringContaining('the checker was not measured')])
    const args = ['calibrate', at.file, '--defects', '8', '--seed', '5', '--attended']
    const { stdout, stderr } = await ctl(at, '--json', ...args)
    expect(stderr).toBe('')
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly {
        readonly check: string
        readonly falseAccepts: { value: number }
      }[]
    }
    const [measured] = checks.filter(({ check }) => check === 'checker')
    expect(measured?.falseAccepts.value).toBe(accepted)
    const limit = ['--false-accepts', '0.6', '--reason', 'few defects']
    await ctl(at, 'levels', 'bars', 'sweeper', ...limit)
    expect(await missingOf(at)).toEqual(missing.map((one) => expect.stringContaining(one)))
  },
)
