import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandResult, type Commands, systemClock } from '../../engine/index.ts'
import { type AgentReport, FaultError } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import {
  createAgentContext,
  createManualClock,
  type TestAgentContext,
} from '../../testing/index.ts'
import type { AgentProgram, Conclusion, ProgramEvent } from './agent-program.ts'
import { readEvent, textAt } from './event-line.ts'
import { type ProgramAgentOptions, programAgent } from './program-agent.ts'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'loopwright-program-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

/** Its lines are events in the internal format; its last text is its result. */
const toy: AgentProgram = {
  name: 'claude',
  package: { name: 'toy', version: '1.0.0' },
  provider: 'anthropic',
  model: 'toy-1',
  capabilities: { usage: 'gateway', limits: [], resumes: false, streams: true, mcp: false },
  hides: [],
  launch: ({ prompt, model, url, token, home, args }) => ({
    args: [...args],
    env: { HOME: home, TOY_MODEL: model, TOY_URL: url, TOY_TOKEN: token },
    input: prompt,
  }),
  reader() {
    let end: Conclusion = { end: 'no-result', text: '', turns: 0 }
    return {
      read(line) {
        const event = readEvent(line)
        if (textAt(event, 'type') === undefined) return []
        const known = event as unknown as ProgramEvent
        if (known.type === 'ended') end = { end: known.end, text: known.text, turns: 1 }
        return [known]
      },
      conclude: ({ exitCode, stderr }) =>
        exitCode === 0 || end.end !== 'claimed' ? end : { ...end, end: 'crashed', text: stderr },
    }
  },
}

const base = {
  program: toy,
  commands: createPlainCommands(),
  url: 'http://127.0.0.1:4140',
  token: 'token-0123456789',
  home: '/nonexistent/home',
  settings: '/nonexistent/settings',
  spending: 'gateway',
} as const

function run(
  script: string,
  more: Partial<ProgramAgentOptions> = {},
  context: TestAgentContext = createAgentContext({ workspace }),
): Promise<AgentReport> {
  const agent = programAgent({ ...base, command: ['sh'], args: ['-c', script], ...more })
  return agent.work({ prompt: 'Make it so.' }, context)
}

const say = (event: ProgramEvent): string => `printf '%s\\n' '${JSON.stringify(event)}'`
const done = say({ type: 'ended', end: 'claimed', text: 'All is well.' })

const saidBy = (context: TestAgentContext): readonly string[] =>
  context.notes.flatMap((note) => (note.type === 'said' ? [note.text] : []))

describe('an agent program', () => {
  test('that reports success and exits with 0 has claimed success', async () => {
    expect(await run(done)).toEqual({
      status: 'done',
      text: 'All is well.',
      usage: { tokens: 0, costMicros: 0 },
      turns: 1,
      ended: 'claimed',
    })
  })

  test('that hides how the last model response ended is not believed if it was cut', async () => {
    const program: AgentProgram = { ...toy, hidesCuts: true }
    const cut = await run(done, { program, lastAnswer: () => 'other' })
    expect(cut).toMatchObject({ ended: 'provider', status: 'failed' })
    expect(cut.text).toContain('cut short')
    for (const more of [
      { program, lastAnswer: () => 'final' as const },
      { program },
      { lastAnswer: () => 'other' as const },
    ]) {
      expect(await run(done, more)).toMatchObject({ ended: 'claimed' })
    }
  })

  test('is pointed at its models, and gets a separate home and the prompt as its input', async () => {
    const context = createAgentContext({ workspace })
    const script = `read prompt; echo "$prompt $TOY_MODEL $TOY_URL $HOME $MODE $PWD"; ${done}`
    await run(script, { env: { MODE: 'quick', TOY_URL: 'elsewhere' } }, context)
    const where = `toy-1 http://127.0.0.1:4140 /nonexistent/home quick ${workspace}`
    expect(saidBy(context)).toEqual([`Make it so. ${where}`])
  })

  test('can report more than done in its last line', async () => {
    const text = 'I need a key.\nSTATUS: needs-context'
    const report = await run(
      `cat <<'END'\n${JSON.stringify({ type: 'ended', end: 'claimed', text })}\nEND`,
    )
    expect(report).toMatchObject({
      status: 'needs-context',
      ended: 'claimed',
      text: 'I need a key.',
    })
  })

  test('reports its work while it is in progress', async () => {
    const context = createAgentContext({ workspace })
    const script = [
      say({ type: 'said', text: 'I look.' }),
      say({ type: 'tool-called', tool: 'Bash', args: '{"command":"ls"}' }),
      say({ type: 'turn-ended' }),
      say({ type: 'tool-ended', tool: 'Bash', ok: false, text: 'no such file' }),
      say({ type: 'retrying', message: 'overloaded' }),
      'echo a line that is not an event',
      'echo kept apart >&2',
      done,
    ]
    await run(script.join('\n'), {}, context)
    expect(context.notes).toEqual([
      { type: 'said', text: 'I look.' },
      { type: 'said', text: 'Bash {"command":"ls"}' },
      {
        type: 'turn-ended',
        turn: 1,
        text: '',
        calls: 1,
        calling: 'Bash {"command":"ls"}',
        usage: { tokens: 0, costMicros: 0 },
      },
      { type: 'said', text: 'Bash failed: no such file' },
      { type: 'said', text: 'retrying: overloaded' },
      { type: 'said', text: 'a line that is not an event' },
    ])
  })

  test('cannot reveal its token, a key, or colors', async () => {
    const context = createAgentContext({ workspace })
    const text = '\\u001b[31mtoken-0123\\u00004567\\u001b[0m89 sk-0123456789'
    const script = `cat <<'END'
{"type":"said","text":"${text}"}
{"type":"ended","end":"claimed","text":"${text}"}
END`
    const report = await run(script, { env: { SOME_KEY: 'sk-0123456789' } }, context)
    expect(report.text).toBe('[secret] [secret]')
    expect(saidBy(context)).toEqual(['[secret] [secret]'])
  })

  test('that reports success and exits with another code has failed', async () => {
    const report = await run(`${done}; echo out of luck >&2; exit 3`)
    expect(report).toMatchObject({ status: 'failed', ended: 'crashed', text: 'out of luck' })
    const credulous: AgentProgram = {
      ...toy,
      reader: () => ({ ...toy.reader(), conclude: () => ({ end: 'claimed', text: '', turns: 1 }) }),
    }
    const believed = await run('exit 3', { program: credulous })
    expect(believed).toMatchObject({ status: 'failed', ended: 'crashed' })
    expect(believed.text).toContain('code 3')
  })

  test('that is killed, or exits without output, has failed', async () => {
    expect(await run(`${done}; kill -9 $$`)).toMatchObject({
      status: 'failed',
      ended: 'interrupted',
    })
    expect(await run('true')).toMatchObject({ status: 'failed', ended: 'no-result' })
  })

  test('that takes too long is stopped', async () => {
    const report = await run('sleep 60', { timeoutMs: 300 })
    expect(report).toMatchObject({ status: 'failed', ended: 'time' })
    expect(report.text).toContain('did not end within')
  })

  test('that accepts no turn limit is ended after its turns', async () => {
    const turn = [
      say({ type: 'tool-called', tool: 'Bash', args: 'ls' }),
      say({ type: 'turn-ended' }),
    ].join('\n')
    const report = await run(`${turn}\n${turn}\nsleep 60`, { turnsMax: 2 })
    expect(report).toMatchObject({ status: 'failed', ended: 'limit' })
    expect(report.text).toBe('It had its 2 turns and was ended.')
    const capabilities = { ...toy.capabilities, limits: ['turns'] as const }
    const told = await run(`${turn}\n${turn}\n${done}`, {
      turnsMax: 1,
      program: { ...toy, capabilities },
    })
    expect(told.ended).toBe('claimed')
  })

  test('that floods one endless line is still read after it', async () => {
    const context = createAgentContext({ workspace })
    const report = await run(`yes x | tr -d '\\n' | head -c 3000000; echo; ${done}`, {}, context)
    expect(report.ended).toBe('claimed')
    expect(context.notes).toEqual([])
  })

  test('that cannot be started is fatal, with the next step', async () => {
    const error: unknown = await run('', { command: ['/nonexistent/agent'] }).catch(
      (thrown: unknown) => thrown,
    )
    const fault = error instanceof FaultError ? error.fault : undefined
    expect(fault).toMatchObject({ code: 'agent-not-started', fatal: true, retryable: false })
    expect(fault?.message).toContain('loopctl agents')
  })

  test('ends with the run', async () => {
    const stop = new AbortController()
    const context = createAgentContext({ workspace, signal: stop.signal })
    const clock = { ...systemClock, sleep: async () => stop.abort(new Error('cancelled')) }
    await expect(run('sleep 60', { clock }, context)).rejects.toThrow('cancelled')
  })

  test('is reported as not metered if nothing meters it, once', async () => {
    const context = createAgentContext({ workspace })
    const { spending: _spending, ...rest } = base
    const agent = programAgent({ ...rest, command: ['sh'], args: ['-c', done] })
    await agent.work({ prompt: '' }, context)
    await agent.work({ prompt: '' }, context)
    expect(saidBy(context)).toEqual([expect.stringContaining('not metered')])
  })

  test('needs a command', () => {
    expect(() => programAgent({ ...base, command: [], args: [] })).toThrow(
      'agent program claude needs a command',
    )
  })
})

/** Prints, and then runs until it is stopped. */
const untilStopped = (stdout: string): Commands => ({
  run: (command, signal) =>
    new Promise((resolve) => {
      command.onOutput?.(Buffer.from(stdout), 'stdout')
      const ended: CommandResult = {
        stdout,
        stderr: '',
        durationMs: 0,
        outputBytes: 0,
        ended: 'aborted',
      }
      signal.addEventListener('abort', () => resolve(ended))
    }),
})

const endsWith = (stdout: string, ended: Partial<CommandResult>): Commands => ({
  async run({ onOutput }) {
    onOutput?.(Buffer.from(stdout), 'stdout')
    const result = { stdout, stderr: '', durationMs: 0, outputBytes: 0, ended: 'exited' } as const
    return { ...result, ...ended }
  },
})

test('a sandbox limit is the reason of a failure, unless the program recovered', async () => {
  const claimed: ProgramEvent = { type: 'ended', end: 'claimed', text: 'All is well.' }
  const printed = `${JSON.stringify(claimed)}\n`
  const killed = endsWith(printed, { ended: 'signal', exceeded: 'memory' })
  const report = await run('', { commands: killed })
  expect(report).toMatchObject({ status: 'failed', ended: 'crashed' })
  expect(report.text).toContain('It reached its limit of memory.')
  const well = endsWith(printed, { exitCode: 0, exceeded: 'processes' })
  expect(await run('', { commands: well })).toMatchObject({ status: 'done', ended: 'claimed' })
})

describe('a program that does not exit by itself', () => {
  const wait = (events: readonly ProgramEvent[], more: Partial<ProgramAgentOptions> = {}) => {
    const clock = createManualClock()
    const commands = untilStopped(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    return clock.pass(run('', { commands, clock, ...more }))
  }

  test('and has reported its result is done, with a concern', async () => {
    const report = await wait([{ type: 'ended', end: 'claimed', text: 'All is well.' }])
    expect(report).toMatchObject({ status: 'done-with-concerns', ended: 'lingered' })
    expect(report.text).toBe(
      'It reported its result but did not exit; it was stopped.\nAll is well.',
    )
  })

  test('and has reported a failure has failed', async () => {
    const report = await wait([{ type: 'ended', end: 'provider', text: 'overloaded' }])
    expect(report).toMatchObject({ status: 'failed', ended: 'provider', text: 'overloaded' })
  })

  test('and has reported no result is idle, and has failed', async () => {
    const report = await wait([{ type: 'said', text: 'Done!' }], { idleMs: 60_000 })
    expect(report).toMatchObject({ status: 'failed', ended: 'idle' })
    expect(report.text).toBe('It was silent for 60 s without a result, and was ended.')
  })

  test('and continues after a result is idle too', async () => {
    const report = await wait([
      { type: 'ended', end: 'claimed', text: 'All is well.' },
      { type: 'turn-ended' },
    ])
    expect(report).toMatchObject({ status: 'failed', ended: 'idle' })
  })
})
