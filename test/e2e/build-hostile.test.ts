/**
 * S10 to S12 for builds: repositories and agents that attack the files which the engine itself reads and writes: spec,
 * plan, learnings, skills. Nothing outside is read, written or started, and the user's checkout stays as it is.
 */

import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { share } from '../share.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { createShop, plan, type ShopRepository } from './build-story-repository.ts'
import { environment } from './loop-fixture.ts'

const secret = 'PRIVATE-4711'

interface Setting {
  readonly shop: ShopRepository
  readonly state: string
  /** Outside of the repository: its files must not be read, changed or added to. */
  readonly outside: string
  ctl(...args: string[]): Promise<Ended>
}

function createSetting(more: Readonly<Record<string, string>> = {}): Setting {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-hostile-build-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.md'), `- [ ] ${secret}\n`)
  const shop = createShop(folder, more)
  const state = join(folder, 'state')
  const ctl = (...args: string[]): Promise<Ended> =>
    warmLoopctl(args, environment(state), shop.checkout)
  return { shop, state, outside, ctl }
}

/** `npm test` makes three of the attacks, each in a task; the others replace files as those before a run do. */
const attacksMade = share([1, 2, 3, 4, 5, 6], [1, 5, 6])
const planPath = 'specs/planning/shop-plan.md'
const attackedPlan = plan
  .split('\n')
  .filter((line, at) => !line.startsWith('- ') || at - 2 < attacksMade.length)
  .join('\n')

/** Each task begins with an attack on the files of the engine. */
const maker = `
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const outside = process.argv[2] + '/../outside'
const task = Number(/^## Your task \\((\\d+) of/m.exec(prompt)?.[1] ?? 0)
const plan = 'specs/planning/shop-plan.md'
const learnings = 'specs/LEARNINGS.md'
const clear = (path) => rmSync(path, { recursive: true, force: true })
const attacks = {
  1() {
    for (const path of [plan, learnings]) { clear(path); symlinkSync(outside + '/secret.md', path) }
  },
  2() {
    for (const path of [plan, learnings]) { clear(path); execFileSync('mkfifo', [path]) }
  },
  3() {
    for (const path of [plan, learnings]) { clear(path); mkdirSync(path + '/inner', { recursive: true }); writeFileSync(path + '/inner/file', 'x') }
  },
  4() {
    for (const path of [plan, learnings]) writeFileSync(path, Buffer.alloc(8e6, 7))
  },
  5() {
    clear('specs/planning'); symlinkSync(outside, 'specs/planning')
    clear(learnings); symlinkSync('../../outside/new.md', learnings)
  },
  6() {
    writeFileSync(plan, '- [x] \\u001b]0;owned\\u0007 done\\n'.repeat(3))
    mkdirSync('nested', { recursive: true })
    for (const name of ['.git', 'nested/.git']) {
      if (name !== '.git') mkdirSync(name, { recursive: true })
      const config = '[core]\\n\\tfsmonitor = touch ' + outside + '/MARKER\\n[filter "f"]\\n\\tclean = touch ' + outside + '/MARKER\\n'
      try { writeFileSync(name + '/config', config); writeFileSync(name + '/HEAD', 'ref: refs/heads/main\\n') } catch {}
    }
  },
}
attacks[${JSON.stringify(attacksMade)}[task - 1]]?.()
mkdirSync('src', { recursive: true })
writeFileSync(\`src/part-\${task}.mjs\`, \`export const part = \${task}\\n\`)
console.log(\`Implemented \\u001b[31mtask \${task}.\\n## Learnings\\n- Learned \${task}.\`)
`

const reviewer = `
import { readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
console.log(JSON.stringify({ token, verdict: 'pass', reasons: [] }))
`

const contains = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))

/** The changes of the plan are proposals: the run asks about them once. Returns what a person sees of it. */
async function keepPlan({ ctl }: Setting): Promise<string> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const { stdout } = await ctl('inspect', 'shop')
    if (stdout.includes('plan-changes')) {
      const { code } = await ctl('answer', 'shop', 'plan-changes', 'keep')
      if (code !== 0) throw new Error(`answer ended with ${code}`)
      return stdout
    }
    await setTimeout(200)
  }
  throw new Error('no question was asked')
}

/** Nothing was read from outside, and nothing was written there or started. */
function expectNothingOutside({ outside, state }: Setting): void {
  expect(contains(state, secret)).toEqual([])
  expect(readdirSync(outside)).toEqual(['secret.md'])
  expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe(`- [ ] ${secret}\n`)
}

test('during and after a run: an agent that replaces plan, learnings and git files reaches nothing', async () => {
  const setting = createSetting({
    'tools/maker.mjs': maker,
    'tools/reviewer.mjs': reviewer,
    [planPath]: attackedPlan,
  })
  const { shop, ctl } = setting
  const before = shop.seen()
  const run = ctl('run', 'specs/shop.md', '--trust', '--name', 'shop')
  expect(await keepPlan(setting)).not.toContain('\u001b')
  expect(await run).toMatchObject({ code: 0, stderr: '' })
  expect(shop.git('show', 'agent/shop:specs/planning/shop-plan.md')).toBe(
    attackedPlan.replaceAll('[ ]', '[R]'),
  )
  for (let task = 1; task <= attacksMade.length; task += 1)
    expect(shop.git('show', 'agent/shop:specs/LEARNINGS.md')).toContain(`- Learned ${task}. (run`)
  for (const words of [
    'diff shop',
    'show shop 2',
    'output shop',
    'merge shop',
    'scrap shop --yes',
  ]) {
    const { code, stdout } = await ctl(...words.split(' '))
    expect({ words, code }).toEqual({ words, code: 0 })
    expect(stdout).not.toContain('\u001b')
  }
  expectNothingOutside(setting)
  expect(shop.seen()).toEqual(before)
}, 180_000)

describe('before a run', () => {
  const linked = (setting: Setting, path: string): void => {
    rmSync(join(setting.shop.checkout, path), { force: true })
    symlinkSync(join(setting.outside, 'secret.md'), join(setting.shop.checkout, path))
  }
  const refused: readonly (readonly [string, RegExp, (setting: Setting) => void])[] = [
    [
      'a spec that leads outside',
      /not a link|is not a file in/,
      (at) => linked(at, 'specs/shop.md'),
    ],
    ['a plan that leads outside', /is not a file in/, (at) => linked(at, planPath)],
    [
      'a spec that is a pipe',
      /must be a text file/,
      ({ shop }) => {
        rmSync(join(shop.checkout, 'specs/shop.md'))
        execFileSync('mkfifo', [join(shop.checkout, 'specs/shop.md')])
      },
    ],
    [
      'a plan that is a pipe',
      /is not a text file/,
      ({ shop }) => {
        rmSync(join(shop.checkout, planPath))
        execFileSync('mkfifo', [join(shop.checkout, planPath)])
      },
    ],
    [
      'a plan that is a folder',
      /is not a text file/,
      ({ shop }) => {
        rmSync(join(shop.checkout, planPath))
        mkdirSync(join(shop.checkout, planPath))
      },
    ],
    [
      'a huge spec',
      /at most 1 MiB/,
      ({ shop }) => writeFileSync(join(shop.checkout, 'specs/shop.md'), 'x'.repeat(5e6)),
    ],
    [
      'a huge plan',
      /is not a text file|is longer than/,
      ({ shop }) => writeFileSync(join(shop.checkout, planPath), '- [ ] x\n'.repeat(1e6)),
    ],
    [
      'a binary spec',
      /not text in UTF-8/,
      ({ shop }) => writeFileSync(join(shop.checkout, 'specs/shop.md'), Buffer.alloc(100)),
    ],
    [
      'a binary plan',
      /is not a text file in UTF-8/,
      ({ shop }) =>
        writeFileSync(join(shop.checkout, planPath), Buffer.from('- [ ] a\u0000\u00ff', 'latin1')),
    ],
  ]

  test('files that are links, pipes, folders, huge or binary are refused, and nothing is created', async () => {
    const setting = createSetting()
    const { shop, ctl } = setting
    for (const [what, why, change] of refused) {
      change(setting)
      const ended = await ctl('run', 'specs/shop.md', '--trust', '--name', 'shop', '--allow-dirty')
      expect({ what, code: ended.code }).not.toEqual({ what, code: 0 })
      expect(ended.stderr).toMatch(why)
      shop.git('checkout', '-q', '-f', '--', '.')
      rmSync(join(shop.checkout, planPath), { recursive: true, force: true })
      shop.git('checkout', '-q', '-f', '--', '.')
    }
    expect((await ctl('--json', 'list')).stdout).toBe('')
    expect(shop.git('branch', '--list', 'run/*', 'agent/*')).toBe('')
    expectNothingOutside(setting)
  }, 120_000)

  test('escape sequences in spec, plan, learnings and skills do not reach the terminal', async () => {
    const escape = '\u001b]0;owned\u0007\u001b[2J'
    const setting = createSetting({
      'specs/shop.md': `# Shop ${escape}\n`,
      [planPath]: `- [ ] Write ${escape} src/price.mjs\n`,
      'specs/LEARNINGS.md': `# Learnings ${escape}\n`,
      '.claude/skills/price/SKILL.md': `---\nname: price\ndescription: write ${escape}\n---\n${escape}\n`,
    })
    const { shop, ctl } = setting
    symlinkSync(setting.outside, join(shop.checkout, '.claude/skills/linked'))
    const loop = join(shop.checkout, 'specs/shop.yaml')
    writeFileSync(loop, `${readFileSync(loop, 'utf8')}skills: true\n`)
    shop.git('add', '-A')
    shop.git('commit', '-q', '-m', 'skills')
    const before = shop.seen()
    for (const words of [
      'run specs/shop.md --dry-run',
      'run specs/shop.md --trust --name shop',
      'tail shop',
      'inspect shop',
      'diff shop',
    ]) {
      const { code, stdout, stderr } = await ctl(...words.split(' '))
      expect({ words, code }).toEqual({ words, code: 0 })
      expect(['\u001b', '\u0007'].filter((one) => (stdout + stderr).includes(one))).toEqual([])
    }
    expectNothingOutside(setting)
    expect(shop.seen()).toEqual(before)
  }, 120_000)
})
