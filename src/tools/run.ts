/** The tool `run`: runs a shell command in the sandbox. */

import { z } from 'zod'
import type { CommandResult, Commands } from '../engine/index.ts'
import { defined, plainOutput, type ToolResult } from '../loop/index.ts'
import { cutStart } from './cap-output.ts'
import { type OpenFile, withFile } from './open-file.ts'
import { defineTool, type Tool, ToolError, type ToolRunContext } from './tool.ts'

const defaultTimeoutMs = 120_000
const timeoutMsMax = 600_000
/** For the process tree to end. */
const marginMs = 15_000
const outputCharsMax = 30_000
/** Of the end of each stream; if there is more, all of it is in a file. */
const keptBytes = 30_000
/** Of output that is in a file: together less than the limit for callers. */
const shownChars = { beginning: 9000, stdout: 12_000, stderr: 7000 }

const parameters = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(100_000)
    .refine((text) => !text.includes('\0'), 'a command cannot contain NUL')
    .describe('What the shell shall run, in the workspace.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(timeoutMsMax)
    .default(defaultTimeoutMs)
    .describe('When it is stopped, with all that it started.'),
})

export interface RunToolOptions {
  readonly commands: Commands
  readonly env?: Readonly<Record<string, string>>
}

export function runTool(options: RunToolOptions): Tool {
  return defineTool({
    name: 'run',
    description:
      'Runs a command with /bin/sh in the workspace and gives its exit code and output. It gets no ' +
      'input, and nothing that it starts goes on after it.',
    parameters,
    risk: 'destructive',
    timeoutMs: timeoutMsMax + marginMs,
    outputCharsMax,
    run: ({ command, timeoutMs }, context) => runCommand(options, command, timeoutMs, context),
  })
}

async function runCommand(
  { commands, env }: RunToolOptions,
  command: string,
  timeoutMs: number,
  context: ToolRunContext,
): Promise<ToolResult> {
  const { output, signal, workspace } = context
  if (workspace === undefined) {
    throw new ToolError('no-workspace', 'This run has no workspace to run a command in.')
  }
  const target = await output?.next()
  const result = await commands.run(
    {
      program: '/bin/sh',
      args: ['-c', command],
      cwd: workspace,
      timeoutMs,
      outputBytesMax: keptBytes,
      ...defined({ env }),
      ...(target === undefined ? {} : { spill: { file: target.file, bytesMax: target.bytesMax } }),
    },
    signal,
  )
  signal.throwIfAborted()
  const spilled =
    target === undefined || result.spilled === undefined
      ? undefined
      : { file: target.name, bytes: result.spilled.bytes }
  if (spilled === undefined) return { ...toStatus(result), output: describe(result, timeoutMs) }
  output?.wrote(spilled.bytes)
  const beginning = await readBeginning(spilled.file, context)
  return {
    ...toStatus(result),
    output: describeLong(result, timeoutMs, spilled, beginning),
    spilled,
  }
}

/** As in a shell: an exit code other than 0 is a failure. The output is returned anyway. */
function toStatus({ ended, exitCode }: CommandResult): Pick<ToolResult, 'ok' | 'error'> {
  if (ended === 'exited') return exitCode === 0 ? { ok: true } : { ok: false, error: 'exit-code' }
  return { ok: false, error: ended === 'timeout' ? 'timeout' : 'killed' }
}

function describeEnding(result: CommandResult, timeoutMs: number): string {
  const { exceeded } = result
  const limit = exceeded === undefined ? '' : `\n[it met its limit of ${exceeded}]`
  return `${describeEnd(result, timeoutMs)}${limit}`
}

function describeEnd({ ended, exitCode }: CommandResult, timeoutMs: number): string {
  if (ended === 'exited') return `[exit code ${exitCode}]`
  if (ended === 'timeout') return `[stopped after ${timeoutMs} ms, with all that it had started]`
  return '[killed]'
}

function describe(result: CommandResult, timeoutMs: number): string {
  const { stdout, stderr, outputBytes } = result
  const isCut = outputBytes > Buffer.byteLength(stdout) + Buffer.byteLength(stderr) + cutBytesMax
  return [
    describeEnding(result, timeoutMs),
    ...(isCut ? [`[${outputBytes} bytes of output; only the end of each stream was kept]`] : []),
    ...(stdout === '' ? [] : [trimLineBreak(stdout)]),
    ...(stderr === '' ? [] : ['[stderr]', trimLineBreak(stderr)]),
  ].join('\n')
}

const trimLineBreak = (text: string): string => plainOutput(text).replace(/\n$/, '')

/** A character that was split, or invalid UTF-8, has a different length as text. */
const cutBytesMax = 8

function describeLong(
  result: CommandResult,
  timeoutMs: number,
  { file, bytes }: { readonly file: string; readonly bytes: number },
  beginning: string,
): string {
  const { stdout, stderr, outputBytes } = result
  const what = bytes < outputBytes ? `The first ${bytes} of ${outputBytes}` : `All ${outputBytes}`
  return [
    describeEnding(result, timeoutMs),
    plainOutput(beginning),
    `[${what} bytes are in ${file}: read it with offset and limit, or search it with grep.]`,
    ...(stdout === ''
      ? []
      : ['[the end of stdout]', cutStart(plainOutput(stdout), shownChars.stdout)]),
    ...(stderr === ''
      ? []
      : ['[the end of stderr]', cutStart(plainOutput(stderr), shownChars.stderr)]),
  ].join('\n')
}

async function readBeginning(name: string, context: ToolRunContext): Promise<string> {
  const buffer = Buffer.alloc(shownChars.beginning)
  const read = async ({ handle }: OpenFile): Promise<string> => {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    return buffer
      .subarray(0, bytesRead)
      .toString('utf8')
      .replace(/\uFFFD+$/, '')
  }
  // The rest of the output is reported anyway.
  return withFile(context, name, read).catch(() => '')
}
