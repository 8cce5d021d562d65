/**
 * Runs the commands of a loop: each in a copy of the workspace, in the sandbox, a limited number at a time.
 *
 * 1. Whatever a command writes stays in its copy, except for the one file that its task names.
 * 2. A command that could not run is `unavailable`, which says nothing about the work.
 * 3. A result is reused only if everything that could make a difference is the same: files, command, environment, sandbox.
 */

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type {
  Blobs,
  CommandContext,
  CommandResult,
  CommandRunner,
  Commands,
} from '../../../engine/index.ts'
import { agentEnvironment, faultOf } from '../../../gateway/index.ts'
import { defined, isLoopError, type Signal, textOf } from '../../../loop/index.ts'
import type { CommandOutput, CommandReport, CommandTask } from '../../../loop/step/command-task.ts'
import { canonicalJson } from '../../../protocol/index.ts'
import { sha256 } from '../../../system/index.ts'
import { maskDeep } from '../../../system/mask.ts'
import type { OpenedSandbox, WorkspaceCopy } from '../../opened-sandbox.ts'
import type { SharedGateway } from '../../shared-gateway.ts'
import { createCommandSlots } from './command-slots.ts'
import { compareLines } from './compare-lines.ts'
import type { Base, Copies } from './open-copies.ts'
import { readPlain } from './plain-files.ts'
import type { CachedResult, ResultCache } from './result-cache.ts'

export interface CommandRunnerOptions {
  readonly workspace: string
  readonly sandbox: Pick<OpenedSandbox, 'commandsIn' | 'modelCommandsIn' | 'summary'>
  /** Opened by the first command that uses models. */
  readonly models: Pick<SharedGateway, 'gateway'>
  readonly blobs: Pick<Blobs, 'put'>
  /** Opened by the first command. */
  readonly copies: () => Promise<Copies>
  readonly cache: ResultCache
  /** What commands depend on besides their files. */
  readonly environment: readonly string[]
}

const timeoutMsDefault = 600_000
const streamBytesDefault = 16 * 1024
const outputBytesMax = 64 * 1024 ** 2

interface Ran extends Omit<CachedResult, 'exitCode'> {
  readonly ended: 'exited' | 'signal' | 'timeout' | 'unavailable'
  readonly exitCode?: number
  readonly problem?: string
}

export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  const slots = createCommandSlots()
  return {
    async run(task, context) {
      const leave = await slots.take(task.concurrency ?? availableParallelism(), context.signal)
      try {
        return await runOrReuse(options, task, context)
      } finally {
        leave()
      }
    },
  }
}

async function runOrReuse(
  options: CommandRunnerOptions,
  task: CommandTask,
  context: CommandContext,
): Promise<CommandReport> {
  const { signal } = context
  const copies = await options.copies()
  const base = await copies.base(task.without ?? [], signal)
  const files = await copies.digestOf(task.files ?? {})
  const key = keyOf(options, task, base, files)
  const known = task.reuse === true ? await options.cache.get(key) : undefined
  if (known !== undefined) {
    return { ...(await toReport(options, task, { ...known, ended: 'exited' })), reused: true }
  }
  const ran = await runInCopy(options, task, { copies, base, files, signal, context })
  const { ended, exitCode, problem, ...rest } = ran
  if (ended === 'exited' && exitCode !== undefined && problem === undefined) {
    // A full disk must not lose a result that was paid for.
    await options.cache.set(key, { ...rest, exitCode }).catch(() => undefined)
  }
  return toReport(options, task, ran)
}

interface Place {
  readonly copies: Copies
  readonly base: Base
  readonly files: Awaited<ReturnType<Copies['digestOf']>>
  readonly signal: Signal
  readonly context: CommandContext
}

async function runInCopy(
  options: CommandRunnerOptions,
  task: CommandTask,
  { copies, base, signal, context }: Place,
): Promise<Ran> {
  let ready = base
  const { prepare } = task
  if (prepare !== undefined) {
    const built = await prepareBase(options, task, prepare, { copies, base, signal })
    if ('ended' in built) return built
    ready = built
  }
  const copy = await copies.open(ready, task.files ?? {}, task.output, signal)
  try {
    const ran =
      task.usesModels === true
        ? await runWithModels(options, copy, task, context)
        : await runShell(options, copy, task, signal)
    if (task.output === undefined || ran.ended === 'unavailable') return ran
    const output = await copy.read(task.output, outputBytesMax)
    if (output !== 'too-large') return { ...ran, ...defined({ output }) }
    const mebibytes = outputBytesMax / 1024 ** 2
    return { ...ran, problem: `it wrote more than ${mebibytes} MB to ${task.output}` }
  } finally {
    await copy.remove()
  }
}

/** Once for all commands with the same files. */
async function prepareBase(
  options: CommandRunnerOptions,
  task: CommandTask,
  prepare: NonNullable<CommandTask['prepare']>,
  { copies, base, signal }: Pick<Place, 'copies' | 'base' | 'signal'>,
): Promise<Base | Ran> {
  const { shared = {} } = task
  const files = await copies.digestOf(shared)
  const key = sha256(canonicalJson([base.digest, files, prepare.command, task.cwd ?? '']))
  let failed: Ran | undefined
  try {
    return await copies.prepared(key, base, shared, async (copy) => {
      const { env: _env, ...rest } = task
      const ran = await runShell(options, copy, { ...rest, ...prepare }, signal)
      if (ran.ended === 'exited' && ran.exitCode === 0) return
      failed = ran
      throw new Error('It could not be prepared.')
    })
  } catch (error) {
    if (failed === undefined) throw error
    const how = failed.exitCode === undefined ? failed.ended : `exit code ${failed.exitCode}`
    const problem = `the command that prepares it failed (${how}): ${failed.problem ?? prepare.command}`
    return { ...failed, ended: 'unavailable', problem }
  }
}

async function runShell(
  { workspace, sandbox }: CommandRunnerOptions,
  copy: WorkspaceCopy,
  { command, env = {}, cwd = '', timeoutMs = timeoutMsDefault, streamBytesMax }: CommandTask,
  signal: Signal,
  commandsIn: (named: readonly string[]) => Commands = (named) => sandbox.commandsIn(copy, named),
): Promise<Ran> {
  const program = '/bin/sh'
  const args = ['-c', command]
  const root = sandbox.summary.tier === 'strong' ? workspace : copy.path
  try {
    const result = await commandsIn([program, ...args]).run(
      {
        program,
        args,
        cwd: join(root, cwd),
        env: { TERM: 'dumb', ...env },
        timeoutMs,
        outputBytesMax: streamBytesMax ?? streamBytesDefault,
      },
      signal,
    )
    signal.throwIfAborted()
    return toRan(result)
  } catch (error) {
    signal.throwIfAborted()
    // What the user has to configure ends the run, and says so.
    if (isLoopError(error)) throw error
    return {
      ended: 'unavailable',
      problem: `it could not be started: ${textOf(error).slice(0, 500)}`,
      stdout: '',
      stderr: '',
      durationMs: 0,
    }
  }
}

/** With a session of its own, and a token instead of a key. */
async function runWithModels(
  options: CommandRunnerOptions,
  copy: WorkspaceCopy,
  task: CommandTask,
  { iteration, step, reserve, remaining, signal }: CommandContext,
): Promise<Ran> {
  const { models, sandbox } = options
  const gateway = await models.gateway()
  const at = `${iteration}/${step}`
  const session = await gateway.session({ step: at, reserve, remaining, signal })
  try {
    // The program and its arguments are always the same.
    const shell = ['/bin/sh', '-c', task.command]
    const { commands, url } = sandbox.modelCommandsIn(copy, shell, session.socketPath)
    const env = { ...agentEnvironment(url ?? session.url, session.token), ...task.env }
    const ran = await runShell(options, copy, { ...task, env }, signal, () => commands)
    const fault = faultOf(await session.close())
    if (fault === undefined) return maskDeep(session.maskText, ran)
    // A provider that fails says nothing about the work; whatever else it is concerns the run.
    if (fault.fault.code !== 'provider-failed') throw fault
    return { ...ran, ended: 'unavailable', problem: fault.message }
  } finally {
    await session.close()
  }
}

function toRan({ ended, exitCode, exceeded, stdout, stderr, durationMs }: CommandResult): Ran {
  const streams = { stdout, stderr, durationMs }
  if (ended === 'timeout') return { ended, ...streams, problem: 'it took too long' }
  const problem =
    exceeded === undefined ? undefined : `it exceeded its limit of ${exceeded} (sandbox.limits)`
  if (exitCode !== undefined)
    return { ended: 'exited', exitCode, ...streams, ...defined({ problem }) }
  return { ended: 'signal', ...streams, problem: problem ?? 'it was killed by a signal' }
}

async function toReport(
  { blobs, workspace }: CommandRunnerOptions,
  task: CommandTask,
  { output, ...ran }: Ran,
): Promise<CommandReport> {
  if (output === undefined) return ran
  const shown = await describeOutput(workspace, task, output)
  return { ...ran, output: { ...(await blobs.put(output)), ...shown } }
}

const comparedBytesMax = 1024 ** 2

/** What cannot be compared is not: that is no failure of the command. */
async function describeOutput(
  workspace: string,
  { expected, outputCharsMax = 0 }: CommandTask,
  bytes: Uint8Array,
): Promise<Pick<CommandOutput, 'difference' | 'text'>> {
  if (bytes.byteLength > comparedBytesMax || bytes.includes(0)) return {}
  const text = Buffer.from(bytes).toString('utf8')
  const wanted =
    expected === undefined ? undefined : await readPlain(workspace, expected).catch(() => undefined)
  const isCompared = wanted !== undefined && wanted.byteLength <= comparedBytesMax
  return {
    ...(isCompared ? { difference: compareLines(wanted.toString('utf8'), text) } : {}),
    ...(outputCharsMax === 0 ? {} : { text: text.slice(0, outputCharsMax) }),
  }
}

function keyOf(
  { sandbox, environment, workspace }: CommandRunnerOptions,
  task: CommandTask,
  base: Base,
  files: Place['files'],
): string {
  const { command, env = {}, cwd = '', prepare, output = '', repeat = 1, usesModels } = task
  const { timeoutMs = timeoutMsDefault, streamBytesMax = streamBytesDefault } = task
  const { tier } = sandbox.summary
  return sha256(
    canonicalJson([
      { version: 1, base: base.digest, files: files.map((one) => [...one]), workspace },
      { command, env, cwd, output, repeat, timeoutMs, streamBytesMax },
      { prepare: prepare === undefined ? null : { ...prepare }, ...defined({ usesModels }) },
      { tier, platform: process.platform, arch: process.arch, environment: [...environment] },
    ]),
  )
}
