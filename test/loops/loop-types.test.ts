// A loop type that exists only in tests: adding one takes its folder and its name in a list.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test, vi } from 'vitest'
import { addLoopTypes } from '../../src/cli/commands/loop-types.ts'
import { createProgram } from '../../src/cli/program.ts'
import {
  describePowers,
  describeProblem,
  LoopFileError,
  parseLoopFile,
} from '../../src/definition/loop-file/index.ts'
import { loadLoop, previewLoop, trustLoop } from '../../src/launch/load-loop.ts'
import { planRun } from '../../src/launch/plan/plan-run.ts'
import { runFirstStage } from '../../src/launch/preflight/look-ahead.ts'
import { defaultLimits } from '../../src/loop/index.ts'
import { type LoopTypeDefinition, loopTypes } from '../../src/loops/index.ts'
import { loopTypeSummaries } from '../../src/loops/loop-type-summaries.ts'
import type { Step } from '../../src/protocol/api/index.ts'
import { jsonSchemas } from '../../src/protocol/json-schemas.ts'
import { openApi } from '../daemon/api-fixture.ts'
import { newFolder } from '../host-fixture.ts'
import { pairType } from './pair/pair-type.ts'

const types: readonly LoopTypeDefinition[] = [...loopTypes, pairType]
const maker = '{ script: [[{ call: write, args: { path: out.txt, content: hi } }, { say: made }]] }'
const reviewer = '{ script: [[{ say: "fail: too short" }], [{ say: "pass: fine" }]] }'
const head = 'loop: pair\ntask: Write out.txt.\nchecks: { there: test -f out.txt }\n'
const parse = async (text: string) => (await parseLoopFile(text, 'a.yaml', { types })).file

async function problems(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error(`not refused: ${text}`, { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:/, ''))
}

describe('a loop file of another type', () => {
  test('has the keys of its type, and the agents of its roles', async () => {
    const file = await parse(`${head}agents: { maker: claude, reviewer: codex }\n`)
    expect(file).toMatchObject({
      loop: 'pair',
      agents: { maker: { program: 'claude' }, reviewer: { program: 'codex' } },
      readers: ['reviewer'],
      until: [{ type: 'checks-pass' }],
      settings: { task: 'Write out.txt.', approvals: 1 },
    })
    expect(await parse(`${head}agent: claude\nagents: { reviewer: codex }\n`)).toEqual(file)
  })

  test('has the default of a role that it does not name', async () => {
    const { agents, readers } = await parse(`${head}agent: claude\n`)
    expect(agents['reviewer']).toBe(agents['maker'])
    expect(readers).toEqual(['reviewer'])
  })

  test.each<[string, string, readonly string[]]>([
    [
      'an unknown loop type',
      'loop: piar\nagent: claude',
      ['1:7: loop: there is no loop type "piar": did you mean pair?'],
    ],
    [
      'a key of another type',
      `${head}agent: claude\nprompt: x`,
      [expect.stringMatching(/^5:1: prompt: there is no key "prompt": .*task, approvals/)],
    ],
    [
      'a misspelt role',
      `${head}agents: { maker: claude, reviwer: codex }`,
      ['4:26: agents.reviwer: there is no role "reviwer": did you mean reviewer?'],
    ],
    [
      'an unknown role',
      `${head}agents: { maker: claude, boss: codex }`,
      ['4:26: agents.boss: there is no role "boss": expected one of maker, reviewer'],
    ],
    [
      'a role that must have an agent',
      `${head}agents: { reviewer: codex }`,
      ['1:1: agent: it is missing: expected the name of an agent, or its settings'],
    ],
    [
      'two agents for one role',
      `${head}agent: claude\nagents: { maker: codex }`,
      ['5:11: agents.maker: the key agent names the agent for maker too: remove one of the two'],
    ],
    [
      'a reader that would change files',
      `${head}agents: { maker: claude, reviewer: repair }`,
      ['4:36: agents.reviewer: the repair agent cannot judge: name another agent'],
    ],
    [
      'what the type itself finds wrong',
      'loop: pair\ntask: Why?\nagent: claude\nchecks: { t: x }',
      ['2:7: task: it is a question: write a task'],
    ],
  ])('is refused for %s', async (_what, text, expected) => {
    expect(await problems(text)).toEqual(expected)
  })

  test('lists all of its agents in the trust prompt', async () => {
    const powers = describePowers(
      await parse(`${head}agents: { maker: claude, reviewer: codex }\n`),
    )
    expect(powers).toContain('runs the agent: claude')
    expect(powers).toContain('asks codex as reviewer, which may only read')
    const same = describePowers(await parse(`${head}agent: claude\n`))
    expect(same).toContain('asks the same agent as reviewer, which may only read')
  })

  test('is in the published schema once the type is', () => {
    const text = JSON.stringify(jsonSchemas(types)['loop.schema.json'])
    expect(text).toContain('"approvals"')
    expect(text).toContain('The agent that judges the work.')
    const builtIn = JSON.stringify(jsonSchemas(loopTypes)['loop.schema.json'])
    expect(builtIn.includes('"approvals"')).toBe(false)
  })
})

describe('a plain loop file', () => {
  test('may name its agent by role', async () => {
    const plain = 'prompt: x\nchecks: { t: x }\n'
    expect(await parse(`${plain}agents: { maker: claude }\n`)).toEqual(
      await parse(`${plain}agent: claude\n`),
    )
    expect(await problems(`${plain}agents: { reviewer: claude }\n`)).toEqual([
      '1:1: agent: it is missing: expected the name of an agent, or its settings',
      expect.stringContaining('there is no role "reviewer"'),
    ])
  })
})

/** A folder with a loop file that is trusted by a state folder. */
async function written(text: string, state: string): Promise<string> {
  const folder = newFolder()
  mkdirSync(join(folder, 'work'))
  const file = join(folder, 'pair.yaml')
  writeFileSync(file, `${head}workspace: work\n${text}`)
  await trustLoop(await previewLoop(file, state, { types: types }), state)
  return file
}

const untilEnded = async (ask: () => Promise<{ readonly status: unknown }>): Promise<unknown> => {
  for (;;) {
    const { status } = await ask()
    if (status !== 'pending' && status !== 'running' && status !== 'queued') return status
    await new Promise((done) => setTimeout(done, 50))
  }
}

describe('a run of another type', () => {
  test('is planned and checked beforehand with all of its agents', async () => {
    const state = newFolder()
    const file = await written(
      'agents: { maker: { model: openai/gpt-5 }, reviewer: codex }\n',
      state,
    )
    const environment = { PATH: '/nonexistent' }
    const loaded = await loadLoop(file, { folder: state, types, environment, purpose: 'look' })
    expect(loaded.warnings.join('\n')).toMatch(/agents\.reviewer: codex is not on the PATH/)
    expect(loaded.warnings.join('\n')).toMatch(/agent\.model: openai\/gpt-5 needs a key/)
    const plan = await planRun({ folder: state, loopTypes: types }, loaded, {
      workspace: loaded.workspace,
      worktree: { use: false },
      limits: defaultLimits,
    })
    expect(plan.prompt).toBe('Write out.txt.')
    expect(plan.estimate?.unknown).toContain('the cost of the agent for reviewer (codex)')
    const found = await runFirstStage(loaded, {
      workspace: loaded.workspace,
      folder: state,
      attended: true,
      environment,
      types,
    })
    const agents = found.filter(({ what }) => what === 'agent')
    expect(agents.map(({ status }) => status)).toEqual(['problem', 'problem'])
  })

  test('iterates until both agree, and offers the operations of its type', async () => {
    const { host, send, get } = await openApi({ loopTypes: types })
    const file = await written(
      `agents: { maker: ${maker}, reviewer: ${reviewer} }\nworktree: false\nscope: ['**']\ncertify: { dependencies: none, require: checks-pass }\nlimits: { iterations: 5 }\n`,
      host.folder,
    )
    const created = await send('POST', '/runs', { file, attended: true })
    expect(created.text).toMatch(/"run":/)
    const { id } = created.body['run'] as { readonly id: string }
    const row = () => host.journal.findRun(id)
    expect(await untilEnded(row)).toBe('completed')
    const { name } = await row()
    const path = `/loop-types/pair/runs/${name}/verdicts`
    expect((await get(path)).body).toEqual({
      run: name,
      verdicts: [
        { iteration: 1, pass: false, text: '(scripted) fail: too short' },
        { iteration: 2, pass: true, text: '(scripted) pass: fine' },
      ],
    })
    const judge = (body: object) => send('POST', '/loop-types/pair/judge', body)
    expect((await judge({ text: 'pass: so so' })).body).toEqual({ pass: true })
    expect((await judge({ text: 'pass: so so', strict: true })).body).toEqual({ pass: false })
    expect((await judge({ text: 5 })).status).toBe(400)
    const { paths } = (await get('/openapi.json')).body as { readonly paths: object }
    expect(Object.keys(paths)).toContain('/loop-types/pair/runs/{run}/verdicts')
    const [first] = await host.journal.read((await row()).id, { afterSeq: 0, limit: 1 })
    expect(first?.event).toMatchObject({
      loopType: 'pair',
      roles: {
        maker: { label: 'impl' },
        reviewer: { label: 'review', reports: true, phase: 'review' },
      },
    })
    const { items } = (await get(`/runs/${name}/steps`)).body as { readonly items: readonly Step[] }
    const agents = items
      .filter(({ kind }) => kind === 'agent')
      .map((step) => [step.name, step.phase])
    expect(agents.slice(0, 2)).toEqual([
      ['maker', 'implementation'],
      ['reviewer', 'review'],
    ])
  })

  test('of another type than that of the operation is refused', async () => {
    const { host, send, get } = await openApi({ loopTypes: types })
    const file = join(newFolder(), 'plain.yaml')
    mkdirSync(join(dirname(file), 'work'))
    writeFileSync(
      file,
      'prompt: x\nworkspace: work\nworktree: false\nagent: { script: [[{ say: done }]] }\nchecks: { t: "false" }\nlimits: { iterations: 1 }\n',
    )
    await trustLoop(await previewLoop(file, host.folder), host.folder)
    const { body } = await send('POST', '/runs', { file, attended: true })
    const { id } = body['run'] as { readonly id: string }
    await untilEnded(() => host.journal.findRun(id))
    const refused = await get(`/loop-types/pair/runs/${id}/verdicts`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('has the loop type plain, but this operation needs pair')
  })
})

test('a command is made from each operation of a type', async () => {
  const asked: unknown[] = []
  const program = new Command('loopctl').option('--json').exitOverride()
  await addLoopTypes(program, types, async (type, { name }, request) => {
    asked.push([type, name, request])
    return { pass: true }
  })
  expect(program.commands.map((one) => one.name())).toEqual(['tune', 'pair'])
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await program.parseAsync(['--json', 'pair', 'verdicts', 'calm-otter'], { from: 'user' })
  await program.parseAsync(['pair', 'judge', '--text', 'pass', '--strict'], { from: 'user' })
  const printed = output.mock.calls.map(([text]) => String(text))
  output.mockRestore()
  expect(asked).toEqual([
    ['pair', 'verdicts', { run: 'calm-otter', body: {} }],
    ['pair', 'judge', { body: { text: 'pass', strict: true } }],
  ])
  expect(printed.map((text) => JSON.parse(text) as unknown)).toEqual([
    { pass: true },
    { pass: true },
  ])
})

test('help lists the commands of loop types, and explains each, without a daemon', async () => {
  const help = async (...names: string[]): Promise<string> => {
    const program = await createProgram({ addTypes: (one) => addLoopTypes(one, types) })
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      await program.parseAsync(['help', ...names], { from: 'user' })
      return write.mock.calls.map(([text]) => String(text)).join('')
    } finally {
      write.mockRestore()
    }
  }
  expect(await help()).toMatch(
    /^Loop types:\n(?: {2}tune .*\n)? {2}pair +A task, a maker and a reviewer/m,
  )
  expect(await help('pair')).toMatch(/^ {2}verdicts .*<run>/m)
  expect(await help('pair', 'judge')).toContain('--strict')
})

test('the summaries for help are those of the registered types', () => {
  expect(loopTypeSummaries).toEqual(
    loopTypes.map(({ name, description, operations = [] }) => ({
      name,
      description,
      hasOperations: operations.length > 0,
    })),
  )
})

test('no file of src names the loop type of the tests', () => {
  const registry = resolve(import.meta.dirname, '../../src/loops/registry.ts')
  expect(readFileSync(registry, 'utf8')).not.toContain('pair')
})
