// Fake agent programs, as plain processes or inside the real sandbox.

import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { agentProgram, type ProgramName } from '../../src/agents/index.ts'
import { type ProgramAgentOptions, programAgent } from '../../src/agents/programs/program-agent.ts'
import { type Clock, type Commands, systemClock } from '../../src/engine/index.ts'
import type { AgentReport, Signal } from '../../src/loop/index.ts'
import { createPlainCommands, openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { createAgentContext } from '../../src/testing/index.ts'
import { newFolder, newTag, taggedProcesses } from '../sandbox/fixture.ts'

export type Where = 'plain' | 'sandboxed'

export interface FakeWork {
  readonly report: AgentReport
  readonly said: readonly string[]
  /** The most processes of it that were seen at once. */
  readonly processes: number
}

export interface FakeOptions extends Partial<ProgramAgentOptions> {
  readonly signal?: Signal
}

/** Does the task in the given mode. No process is alive afterwards. */
export async function workAs(
  name: ProgramName,
  mode: string,
  where: Where,
  { signal, ...more }: FakeOptions = {},
): Promise<FakeWork> {
  const workspace = await newFolder()
  const tag = newTag()
  let processes = 0
  let printedBytes = 0
  const context = createAgentContext({ workspace, ...(signal === undefined ? {} : { signal }) })
  const agent = programAgent({
    program: agentProgram(name),
    command: [process.execPath, join(fakes, `${name}.mjs`)],
    commands: counted(await commandsIn(workspace, where), (bytes) => {
      printedBytes += bytes
    }),
    url: 'http://127.0.0.1:4140',
    token: 'token-0123456789',
    ...(await foldersFor(where)),
    args: [],
    env: { FAKE_MODE: mode, TAG: tag, NOT_HOME: homedir() },
    spending: 'gateway',
    idleMs: 60_000,
    lingerMs: 40_000,
    clock: clockOnceHanging(workspace, () => printedBytes),
    isBusy() {
      processes = Math.max(processes, taggedProcesses(tag).length)
      return false
    },
    ...more,
  })
  const work = agent.work({ prompt: 'Do the task.' }, context)
  const report = await work.finally(() => expect(taggedProcesses(tag)).toEqual([]))
  const said = context.notes.flatMap((note) => (note.type === 'said' ? [note.text] : []))
  return { report, said, processes }
}

const fakes = join(import.meta.dirname, 'fakes')

let sandbox: Promise<Sandbox> | undefined

async function commandsIn(workspace: string, where: Where): Promise<Commands> {
  if (where === 'plain') return createPlainCommands()
  sandbox ??= openSandbox({ requireTier: 'strong' })
  const readOnly = [fakes, join(import.meta.dirname, 'fixtures')]
  return (await sandbox).commands({ workspace, readOnly })
}

async function foldersFor(where: Where): Promise<{ home: string; settings: string }> {
  if (where === 'sandboxed') return { home: '/home/agent', settings: '/nonexistent' }
  const home = await mkdtemp(join(tmpdir(), 'loopwright-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return { home, settings: '/nonexistent' }
}

const counted = (commands: Commands, onBytes: (bytes: number) => void): Commands => ({
  run: (command, signal) =>
    commands.run(
      {
        ...command,
        onOutput(chunk, stream) {
          command.onOutput?.(chunk, stream)
          if (stream === 'stdout') onBytes(chunk.length)
        },
      },
      signal,
    ),
})

/**
 * Time passes only while the program hangs and all its output has arrived, and then fast: nothing
 * depends on the load of the machine.
 */
function clockOnceHanging(workspace: string, printedBytes: () => number): Clock {
  const file = join(workspace, 'hanging')
  const isHanging = (): boolean => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text !== '' && printedBytes() >= Number(text)
  }
  return {
    ...systemClock,
    async sleep(_ms, signal) {
      const aborted = signal as AbortSignal | undefined
      do await delay(20, undefined, aborted === undefined ? {} : { signal: aborted })
      while (!isHanging())
    },
  }
}
