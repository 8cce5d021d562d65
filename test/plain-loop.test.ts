// Tests of the loop type `plain`: a prompt, an agent, checks; repeated until they pass.

import { describe, expect, test } from 'vitest'
import type { Agents, Check, Workspace } from '../src/engine/index.ts'
import type { AgentReport, RecordedEvent } from '../src/loop/index.ts'
import { type PlainProgress, type PlainSettings, plainLoop } from '../src/loops/index.ts'
import {
  createWorld,
  type MemoryWorkspace,
  memoryWorkspace,
  moments,
  stepResults,
  type World,
  worldAfter,
} from './engine/fixture.ts'

const report = (text: string, more: Partial<AgentReport> = {}): AgentReport => ({
  status: 'done',
  text,
  usage: { tokens: 10, costMicros: 5 },
  turns: 1,
  ...more,
})

interface Seen {
  readonly prompts: string[]
}

/** An agent that follows a script for each iteration. */
function agentOf(
  workspace: MemoryWorkspace,
  work: (iteration: number, files: Map<string, string>) => AgentReport,
): Agents & Seen {
  const prompts: string[] = []
  return {
    prompts,
    async work(role, task, { iteration, spend }) {
      expect(role).toBe('maker')
      prompts.push(task.prompt)
      const made = work(iteration, workspace.files)
      spend(made.usage)
      return made
    },
  }
}

/** Met if the file has the text. */
const fileIs =
  (workspace: MemoryWorkspace, path: string, text: string): Check =>
  async () => {
    const found = workspace.files.get(path) ?? 'nothing'
    return found === text
      ? { status: 'met', exitCode: 0, output: 'ok' }
      : { status: 'not-met', exitCode: 1, output: `expected ${text}, found ${found}` }
  }

const settings: PlainSettings = {
  version: '1',
  prompt: 'Goal: {{ input.goal }}\nIteration {{ iteration }}.\n{{ progress }}',
}

const input = { goal: 'write 3' }

async function play(
  world: World,
  given: PlainSettings = settings,
  options: Parameters<World['start']>[1] = {},
) {
  const loop = plainLoop(given)
  const run = await world.start(loop, { input, ...options })
  const end = await world.finish(run, loop)
  const state = await world.state(run)
  return { run, loop, end, state, progress: state.progress as unknown as PlainProgress }
}

test('passes on the third iteration, whatever the agent reported before', async () => {
  const workspace = memoryWorkspace()
  const agents = agentOf(workspace, (iteration, files) => {
    files.set('a', String(iteration))
    return report(`wrote ${iteration}, all done`)
  })
  const world = createWorld({
    workspace,
    agents,
    checks: { value: fileIs(workspace, 'a', '3') },
  })
  const { state } = await play(world)
  expect(state).toMatchObject({
    iteration: 3,
    outcome: { type: 'completed', condition: 'checks-pass' },
    spent: { tokens: 30 },
  })
  expect(agents.prompts[0]).toBe('Goal: write 3\nIteration 1.')
  expect(agents.prompts[2]).toContain('## Iteration 1\nThe agent ended with "done":\n> wrote 1')
  expect(agents.prompts[2]).toContain('Check value: not-met, exit code 1, 0.0 s. It printed:')
  expect(agents.prompts[2]).toContain('expected 3, found 2')
})

test('that never passes ends at its limit, and its progress has the last five entries', async () => {
  const workspace = memoryWorkspace()
  const agents = agentOf(workspace, (iteration, files) => {
    files.set('a', `x${iteration}`)
    return report('x'.repeat(2000))
  })
  const world = createWorld({ workspace, agents, checks: { value: fileIs(workspace, 'a', '3') } })
  const { state, progress } = await play(world, settings, { limits: { iterations: 7 } })
  expect(state.outcome).toMatchObject({ type: 'exhausted', limit: 'iterations' })
  expect(progress.entries.map(({ iteration }) => iteration)).toEqual([3, 4, 5, 6, 7])
  const lengths = progress.entries.map(({ agent }) => agent.text.length)
  expect(lengths).toEqual([500, 500, 500, 500, 2000])
  expect(progress.unchanged).toBe(0)
})

describe('is stuck', () => {
  test('when neither files nor checks change, whatever the agent reports', async () => {
    const workspace = memoryWorkspace({ a: '1' })
    const agents = agentOf(workspace, (iteration) => report(`this time for sure, ${iteration}`))
    const world = createWorld({
      workspace,
      agents,
      checks: {
        value: async () => {
          await world.clock.sleep(1000 + world.clock.now())
          return { status: 'not-met', exitCode: 1, output: `failed after ${world.clock.now()} ms` }
        },
      },
    })
    const { state, progress } = await play(world)
    expect(state.outcome).toEqual({
      type: 'stuck',
      condition: 'no-progress',
      detail: 'neither files nor checks changed for 3 iterations',
    })
    expect(state.iteration).toBe(3)
    expect(progress.unchanged).toBe(3)
    expect(progress.entries).toMatchObject([{ iteration: 3, times: 3 }])
    expect(agents.prompts[2]).toContain('The same for 2 iterations')
    expect(agents.prompts[2]).toContain('this time for sure, 2')
  })

  test('only after a change was followed by three iterations without one', async () => {
    const workspace = memoryWorkspace()
    const agents = agentOf(workspace, (iteration, files) => {
      if (iteration === 3) files.set('a', 'new')
      return report('')
    })
    const world = createWorld({ workspace, agents, checks: { value: fileIs(workspace, 'a', '3') } })
    const { state, progress } = await play(world)
    expect(state.outcome).toMatchObject({ type: 'stuck', condition: 'no-progress' })
    expect(state.iteration).toBe(6)
    expect(progress.entries.map(({ iteration, times }) => [iteration, times])).toEqual([
      [2, 2],
      [6, 4],
    ])
  })

  test('not while the result of a check changes, without files', async () => {
    let asked = 0
    const world = createWorld({
      agents: { work: async () => report('looked') },
      checks: {
        service: async () => ({
          status: asked++ < 4 ? ('not-met' as const) : ('met' as const),
          output: ['down', 'starting', 'starting', 'warming up'][asked - 1] ?? '',
        }),
      },
    })
    const { state } = await play(world, {
      ...settings,
      until: [
        { type: 'checks-pass' },
        { type: 'any', of: [{ type: 'no-progress', iterations: 2 }] },
      ],
    })
    expect(state.outcome).toMatchObject({ type: 'completed' })
    expect(state.iteration).toBe(5)
  })
})

test('is not completed by a claim, and passes other claims of an agent on', async () => {
  const workspace = memoryWorkspace()
  const statuses = ['done', 'blocked', 'needs-context', 'failed'] as const
  const agents = agentOf(workspace, (iteration, files) => {
    files.set('a', `x${iteration}`)
    return report(`claim ${iteration}`, { status: statuses[iteration - 1] ?? 'done' })
  })
  const world = createWorld({ workspace, agents, checks: { value: fileIs(workspace, 'a', 'x5') } })
  const { state } = await play(world)
  expect(state.outcome).toMatchObject({ type: 'completed' })
  expect(state.iteration).toBe(5)
  const [last] = agents.prompts.slice(-1)
  expect(last).toContain('The agent ended with "blocked":\n> claim 2')
  expect(last).toContain('The agent ended with "needs-context":\n> claim 3')
  expect(last).toContain('The agent ended with "failed":\n> claim 4')
})

const promptOf = (events: readonly RecordedEvent[], iteration: number): unknown =>
  stepResults(events).get(`${iteration} prompt#1`)

test('records each prompt, with what was cut from it', async () => {
  const workspace = memoryWorkspace({ a: '3' })
  const agents = agentOf(workspace, () => report(''))
  const world = createWorld({ workspace, agents, checks: { value: fileIs(workspace, 'a', '3') } })
  const { run } = await play(
    world,
    {
      version: '1',
      context: { tokensMax: 300 },
      prompt: [
        { name: 'log', text: '{{ input.log }}', priority: 10, keep: 'end' },
        { name: 'rules', text: 'Keep to the rules.', stable: true, required: true },
        { name: 'task', text: '{{ input.goal }}' },
      ],
    },
    { input: { goal: 'fix it', log: 'one line of the log\n'.repeat(500) } },
  )
  const [prompt] = agents.prompts
  expect(prompt).toMatch(/^Keep to the rules\.\n\n\[\.\.\. about \d+ tokens of "log" were cut/)
  expect(prompt).toMatch(/one line of the log\n\nfix it$/)
  expect(promptOf(await world.events(run), 1)).toMatchObject({
    value: {
      prompt,
      sections: [{ name: 'rules' }, { name: 'log' }, { name: 'task' }],
      cuts: [{ section: 'log', dropped: false }],
    },
  })
})

test('reports which files changed, if known', async () => {
  const workspace = memoryWorkspace()
  const agents = agentOf(workspace, (iteration, files) => {
    files.set(`file-${iteration}`, '')
    return report('')
  })
  const changes: Workspace['changes'] = async (before, after) => {
    if (workspace.trees.get(before)?.length === 1) throw new Error('this one is not known')
    return [`${workspace.trees.get(after)?.at(-1)?.[0]}`]
  }
  const world = createWorld({
    workspace: { ...workspace, changes },
    agents,
    checks: { value: fileIs(workspace, 'file-3', '') },
  })
  const { state } = await play(world, {
    ...settings,
    prompt: '{{ files_changed | join: "+" }}|{% for c in checks %}{{ c.name }}{% endfor %}',
  })
  expect(state.outcome).toMatchObject({ type: 'completed' })
  expect(agents.prompts).toEqual(['|', 'file-1|value', '|value'])
})

test('fails at once, with the position, if its prompt cannot be rendered', async () => {
  const world = createWorld({ agents: { work: async () => report('') } })
  const { state } = await play(world, { version: '1', prompt: 'a\n{{ input.gaol }}' })
  expect(state.iteration).toBe(1)
  expect(state.outcome).toMatchObject({
    type: 'failed',
    fault: {
      code: 'bad-template',
      message: 'prompt:2:4: there is no variable "input.gaol". Did you mean "input.goal"?',
    },
  })
})

test('killed at any moment and resumed, it ends as if it had not been', async () => {
  const trees: MemoryWorkspace['trees'] = new Map()
  const parts = (workspace: MemoryWorkspace) => ({
    workspace: { ...workspace, changes: async () => ['a'] },
    agents: agentOf(workspace, (iteration, files) => {
      files.set('a', String(iteration))
      return report(`wrote ${iteration}`)
    }),
    checks: { value: fileIs(workspace, 'a', '3') },
  })
  const workspace = memoryWorkspace({}, trees)
  const world = createWorld(parts(workspace))
  const { run, loop, state } = await play(world, settings)
  const events = await world.events(run)
  expect(state.outcome).toMatchObject({ type: 'completed' })
  for (const moment of moments(events).slice(0, -1)) {
    const again = memoryWorkspace(filesAt(events.slice(0, moment), trees), trees)
    const other = await worldAfter(events, moment, parts(again))
    await other.finish(run, loop)
    const { outcome, iteration, progress } = await other.state(run)
    expect({ outcome, iteration, progress }).toEqual({
      outcome: state.outcome,
      iteration: 3,
      progress: state.progress,
    })
    expect(again.files.get('a')).toBe('3')
  }
})

/** The files according to the last event that names a tree. */
function filesAt(
  events: readonly RecordedEvent[],
  trees: MemoryWorkspace['trees'],
): Record<string, string> {
  const named = events.flatMap(({ event }) =>
    'tree' in event && event.tree !== undefined ? [event.tree] : [],
  )
  const tree = named.at(-1)
  return Object.fromEntries(tree === undefined ? [] : (trees.get(tree) ?? []))
}
