/**
 * Wrong uses of loopctl: each is answered with one object that the published schema knows, a code that is no
 * bug, and a message that says what to do next.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import { environment, type Place, place } from '../e2e/loop-fixture.ts'
import { saysWhatNext } from '../next-step.ts'
import { share } from '../share.ts'
import { warmLoopctl } from '../warm-loopctl.ts'

const schema = join(import.meta.dirname, '../../schemas/cli/error.schema.json')
const isError = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(schema, 'utf8')) as object,
)

let at: Place
let empty: Place
/** Loop files that are wrong, by name. */
const wrong: Readonly<Record<string, string>> = {
  'no-agent.yaml': 'prompt: x\nchecks: { ok: "true" }\n',
  'unknown-key.yaml': 'prompt: x\nagnet: repair\n',
  'no-yaml.yaml': 'prompt: [\n',
  'unknown-agent.yaml': 'prompt: x\nagent: cluade\nchecks: { ok: "true" }\n',
  'bad-template.yaml': 'prompt: "{{ progres | nothing }}"\nagent: repair\nchecks: { ok: "true" }\n',
  'no-key.yaml': 'prompt: x\nagent: { model: openai/gpt-5 }\nchecks: { ok: "true" }\n',
  'bad-limit.yaml': 'prompt: x\nagent: repair\nchecks: { ok: "true" }\nlimits: { iterations: 0 }\n',
  'broken.cedar': 'forbid (principal, action, resource) wehn { true };\n',
  'no-loop.mjs': 'export default 3\n',
  'throws.mjs': 'throw new Error("no")\n',
}

beforeAll(async () => {
  at = place("prompt: x\nchecks: { ok: 'true' }\nagent: { script: [[{ say: Done. }]] }\n")
  empty = place('')
  for (const [name, text] of Object.entries(wrong)) writeFileSync(fileOf(name), text)
  mkdirSync(fileOf('a-folder'))
  await warmLoopctl(['run', at.file, '--trust', '--name', 'done'], environment(at.state))
})

const fileOf = (name: string): string => join(at.work, '..', name)

/** `@name` is a file of the story. */
const uses = [
  'dashboard',
  'demo',
  'demo nothing',
  'nothing',
  'ruin done',
  'list --limit many',
  'list --status SOMETHING',
  'list --workspace=',
  '--state= list',
  'inspect',
  'inspect gone',
  'schedule show gone',
  'schedule remove gone',
  'schedule pause',
  'schedule pause gone --all',
  'schedule add @no-agent.yaml',
  'schedule add @unknown-key.yaml daily',
  'schedule add @no-agent.yaml daily --on-webhook',
  'schedule add @no-agent.yaml daily --hours 9-17',
  'schedule add @no-agent.yaml --on-file x --outcome failed',
  'tail gone',
  'tail done --after x',
  'output gone',
  'show gone',
  'show done 9',
  'show done --prompt --report',
  'show done --check lint',
  'show done --exchange 3',
  'diff gone',
  'merge done',
  'scrap gone --yes',
  'reset gone --yes',
  'create-pr done',
  'worktree-rm gone',
  'worktrees clean --repo /nonexistent',
  'analyze',
  'analyze gone',
  'analyze done --latest',
  'answer done tone kind',
  'answer gone tone kind',
  'answer done',
  'answer done approve',
  'answer done --accept',
  'answer done tone --accept --reject',
  'answer done tone kind --accept',
  'tell gone hello',
  'tell done hello',
  'policy check @bad-limit.yaml',
  'tell done hello --file a.ts',
  'tell done hello --file a.ts --line none',
  'limits gone',
  'limits done --iterations 0',
  'limits done --iterations 9',
  'limits done --agent-limit maker=3',
  'limits done --reason why',
  'pause done',
  'stop done',
  'cancel done',
  'resume done',
  'resume gone',
  'fork done --at 7',
  'fork gone',
  'retry done',
  'watch done',
  'replay gone',
  'export gone',
  'export done --iteration 9',
  'files 0000 /nonexistent/folder',
  'rm gone',
  'run',
  'run @gone.yaml',
  'run @a-folder --trust',
  'run @loop.yaml --trust --iterations none',
  'run @loop.yaml --trust --name=',
  'run @loop.yaml --trust --workspace /nonexistent/folder',
  'run @loop.yaml --trust --detach',
  'run @loop.yaml --trust --in-place --base main',
  'run @loop.yaml --trust --base main',
  'run @loop.yaml --trust --input colour=red',
  'run @no-agent.yaml',
  'run @unknown-key.yaml --trust',
  'run @no-yaml.yaml --trust',
  'run @unknown-agent.yaml --trust',
  'run @bad-template.yaml --trust',
  'run @no-key.yaml --trust',
  'run @bad-limit.yaml --trust',
  'run @no-loop.mjs --trust',
  'run @throws.mjs --trust',
  'prompt @gone.yaml',
  'validate @unknown-key.yaml',
  'trust @gone.yaml',
  'tools --loop @unknown-key.yaml',
  'calibrate @loop.yaml --trust --defects 0',
  'calibrate @loop.yaml --trust --defects 1',
  'certify /nonexistent/folder',
  'certify . --check test=',
  'run @loop.yaml --check true',
  'run --agent cluade --check true -p x --workspace /nonexistent/folder',
  'run --check true --check= --workspace /nonexistent/folder',
  'verify gone',
  'verify gone --commit abc',
  'certificate gone',
  'certificate --out folder',
  'keys trust @gone.json',
  'keys trust @no-yaml.yaml',
  'keys untrust 0000',
  'agents add claude',
  'agents add cluade --yes',
  'agents test cluade',
  'config check @gone.yaml',
  'catalog show ci-sweper',
  'catalog add',
  'catalog add ci-sweper',
  'catalog add ci-sweeper bad/name',
  'catalog add ci-sweeper deed --agent cluade',
  'policy',
  'policy chekc',
  'policy check @gone.cedar',
  'policy check @broken.cedar',
  'policy check @a-folder',
  'policy explain',
  'policy explain gone',
  'policy backtest',
  'policy backtest @gone.cedar',
  'policy backtest @broken.cedar',
  'trust @broken.cedar',
  'report --since soon',
  'report --html',
  'report done',
  'report done --html --since 1d',
  'report done --html --out @gone/report.html',
  'levels set triage',
  'levels set triage 4 --reason x',
  'levels set triage 2 --reason x',
  'levels set triage 2',
  'levels accept triage',
  'levels bars triage',
  'levels bars triage --bar 0.9 --reason x',
  'levels bars triage --level 1 --bar 0.9 --reason x',
  'levels bars triage --level 2 --bar 90',
  'memory',
  'memory show m1',
  'memory show',
  'memory forget',
  'memory forget m1 --all-of triage',
  'memory forget m1 --repo .',
  'memory list --limit some',
  'memory list nosuch',
  'levels nosuch',
  'daemon install',
  'daemon token add default',
  'daemon token add a/b',
  'daemon token remove nobody',
  'daemon start --port 99999999',
  'daemon logs --lines x',
  'help nothing',
]

const argumentsIn = (use: string): readonly string[] =>
  use === ''
    ? []
    : use
        .split(' ')
        .map((word) =>
          word === '@loop.yaml' ? at.file : word.startsWith('@') ? fileOf(word.slice(1)) : word,
        )

// `npm test` tries every third.
const tried = share(
  uses,
  uses.filter((_use, index) => index % 3 === 0),
)

test.each(tried)('loopctl %s is refused with what to do next', async (use) => {
  const { code, stderr } = await warmLoopctl(['--json', ...argumentsIn(use)], environment(at.state))
  expect(code).not.toBe(0)
  const said = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
    readonly error: { readonly code: string; readonly message: string }
  }
  expect(isError(said) ? [] : isError.errors).toEqual([])
  expect(said.error.code).not.toBe('bug')
  expect(said.error.message).toSatisfy(saysWhatNext)
})

test.each(['inspect gone', 'rm gone', 'diff gone'])(
  'loopctl %s says where nothing was run',
  async (use) => {
    const { code, stderr } = await warmLoopctl(
      ['--json', ...use.split(' ')],
      environment(empty.state),
    )
    expect(code).not.toBe(0)
    const { error } = JSON.parse(stderr) as { readonly error: { readonly message: string } }
    expect(error.message).toContain(empty.state)
    expect(error.message).toSatisfy(saysWhatNext)
  },
)

test.each(uses.filter((use) => use.startsWith('levels ')))(
  'without --json, loopctl %s prints why it is refused',
  async (use) => {
    const { code, stderr } = await warmLoopctl(argumentsIn(use), environment(at.state))
    expect(code).not.toBe(0)
    expect(stderr.trim()).toSatisfy(saysWhatNext)
  },
)

test.each([['levels'], ['memory', 'list']])(
  'a loop that never ran is told apart from one without anything: %s',
  async (...command) => {
    const listed = await warmLoopctl(['--json', 'list'], environment(at.state))
    const [{ loop }] = [JSON.parse(listed.stdout.split('\n')[0] ?? '') as { readonly loop: string }]
    const known = await warmLoopctl([...command, loop], environment(at.state))
    expect([known.code, known.stderr]).toEqual([0, ''])
    const unknown = await warmLoopctl([...command, 'gone'], environment(at.state))
    expect([unknown.code, unknown.stdout]).toEqual([64, ''])
    expect(unknown.stderr).toContain(`There is no loop "gone" here. There are: ${loop}.`)
  },
)
