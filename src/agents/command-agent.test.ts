import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AgentReport, FaultError } from '../loop/index.ts'
import { createPlainCommands } from '../sandbox/index.ts'
import { createAgentContext, type TestAgentContext } from '../testing/agent-context.ts'
import { type CommandAgentOptions, commandAgent } from './command-agent.ts'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'loopwright-agent-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

const commands = createPlainCommands()

function run(
  script: string,
  more: Partial<CommandAgentOptions> = {},
  context: TestAgentContext = createAgentContext({ workspace }),
): Promise<AgentReport> {
  const agent = commandAgent({ command: ['sh', '-c', script], commands, ...more })
  return agent.work({ prompt: 'Make it so.' }, context)
}

const saidBy = (context: TestAgentContext): string =>
  context.notes.map((note) => (note.type === 'said' ? note.text : '')).join('\n')

describe('a program as an agent', () => {
  test('gets the prompt as its input and works in the workspace', async () => {
    const report = await run('cat > prompt.txt; echo I did it')
    expect(report).toEqual({
      status: 'done',
      text: 'I did it',
      usage: { tokens: 0, costMicros: 0 },
      turns: 1,
    })
    expect(await readFile(join(workspace, 'prompt.txt'), 'utf8')).toBe('Make it so.')
  })

  test('can report more than done in its last line', async () => {
    const report = await run('echo I need a key; echo STATUS: needs-context')
    expect(report).toMatchObject({ status: 'needs-context', text: 'I need a key' })
  })

  test('that exits with another code has failed, and reports why', async () => {
    const report = await run('echo half; echo the disk is full >&2; exit 3')
    expect(report.status).toBe('failed')
    expect(report.text).toBe('It ended with exit code 3.\nthe disk is full\nhalf')
  })

  test('that does not exit in time has failed', async () => {
    const report = await run('echo begun; sleep 60', { timeoutMs: 300 })
    expect(report).toMatchObject({ status: 'failed' })
    expect(report.text).toContain('did not end within')
  })

  test('gets the configured variables and no others', async () => {
    process.env['LOOPWRIGHT_TEST_LEAK'] = 'leaked'
    const report = await run('env', { env: { MODE: 'quick' } })
    delete process.env['LOOPWRIGHT_TEST_LEAK']
    expect(report.text).toContain('MODE=quick')
    expect(report.text).not.toContain('leaked')
  })

  test('cannot reveal its key', async () => {
    const context = createAgentContext({ workspace })
    const env = { SERVICE_API_KEY: 'sk-0123456789' }
    const report = await run('echo key $SERVICE_API_KEY', { env }, context)
    expect(report.text).toBe('key [secret]')
    expect(saidBy(context)).not.toContain('sk-0123456789')
  })

  test('that floods is cut to the end of its output', async () => {
    const report = await run('yes 0123456789 | head -c 5000000; echo the end')
    expect(report.text.length).toBeLessThan(25_000)
    expect(report.text.endsWith('the end')).toBe(true)
  })

  test('that cannot be started is fatal, with the next step', async () => {
    const agent = commandAgent({ command: ['/nonexistent/agent'], commands })
    const error: unknown = await agent
      .work({ prompt: '' }, createAgentContext({ workspace }))
      .catch((thrown: unknown) => thrown)
    const fault = error instanceof FaultError ? error.fault : undefined
    expect(fault).toMatchObject({ code: 'agent-not-started', fatal: true, retryable: false })
    expect(fault?.message).toContain('Set another command under agent in the loop file.')
  })

  test('that cannot be started right now may be retried', async () => {
    const busy = new FaultError({ code: 'EAGAIN', message: 'no processes left', retryable: true })
    const agent = commandAgent({ command: ['x'], commands: { run: () => Promise.reject(busy) } })
    await expect(agent.work({ prompt: '' }, createAgentContext())).rejects.toBe(busy)
  })

  test('ends with the run', async () => {
    const stop = new AbortController()
    const context = createAgentContext({ workspace, signal: stop.signal })
    const working = run('sleep 60', {}, context)
    setTimeout(() => stop.abort(new Error('cancelled')), 50)
    await expect(working).rejects.toThrow('cancelled')
  })

  test('is reported as not metered, once', async () => {
    const agent = commandAgent({ command: ['true'], commands })
    const context = createAgentContext({ workspace })
    await agent.work({ prompt: '' }, context)
    await agent.work({ prompt: '' }, context)
    expect(context.notes).toHaveLength(1)
    expect(saidBy(context)).toContain('not metered')
  })

  test('reports its output while it works', async () => {
    const context = createAgentContext({ workspace })
    await run("printf '\\033[31mred\\033[0m line\\nlast'", {}, context)
    expect(saidBy(context)).toContain('red line')
    expect(saidBy(context)).toContain('last')
  })
})

test('an empty command is refused', () => {
  expect(() => commandAgent({ command: [], commands })).toThrow('needs a command')
})
