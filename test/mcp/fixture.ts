/** Shared by the tests of MCP servers: servers to connect, and calls as a run makes them. */

import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Tools } from '../../src/engine/index.ts'
import type { Json, ToolContext, ToolResult } from '../../src/loop/index.ts'
import { createMark, killAll, markVariable } from '../../src/sandbox/process-group.ts'
import type { MarkProcesses, McpOptions, McpServer, McpTools } from '../../src/tools/index.ts'
import { connectMcp, createTools } from '../../src/tools/index.ts'

const root = resolve(import.meta.dirname, '../..')
const official = join(root, 'node_modules/@modelcontextprotocol')

export const everything = (): McpServer => ({
  command: [process.execPath, join(official, 'server-everything/dist/index.js'), 'stdio'],
})
export const filesystem = (folder: string): McpServer => ({
  command: [process.execPath, join(official, 'server-filesystem/dist/index.js'), folder],
})
export const everythingByHttp = (): readonly string[] => [
  join(official, 'server-everything/dist/index.js'),
  'streamableHttp',
]
export const misbehaving = (mode = 'fine'): McpServer => ({
  command: [process.execPath, join(import.meta.dirname, 'misbehaving-server.mjs'), mode],
})

/** As the host does it. */
export const markProcesses: MarkProcesses = () => {
  const mark = createMark()
  return {
    environment: { [markVariable]: mark.value },
    killAll: (group) => killAll(group, mark),
  }
}

export interface ConnectedServer extends McpTools {
  call(name: string, args?: Json, signal?: AbortSignal): Promise<ToolResult>
}

/** Closed at the end of the test at the latest. */
export async function connect(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = {},
  marks: Pick<McpOptions, 'markProcesses'> = { markProcesses },
): Promise<ConnectedServer> {
  const connected = await connectForSeveral(servers, { ...marks, ...options })
  onTestFinished(() => connected.close())
  return connected
}

/** For several tests: the caller closes it. */
export async function connectForSeveral(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = { markProcesses },
): Promise<ConnectedServer> {
  const connected = await connectMcp(servers, options)
  const tools: Tools = createTools({ tools: connected.tools })
  return {
    ...connected,
    call: (name, args = {}, signal = new AbortController().signal) =>
      tools.call(name, args, context(signal)),
  }
}

function context(signal: AbortSignal): ToolContext {
  const reserve = (): never => {
    throw new Error('A tool of a server reserves nothing.')
  }
  return { signal, iteration: 1, workspace: undefined, attempt: 1, spend() {}, reserve }
}

/** The data that a tool wrote as JSON in a text. */
export const parsed = ({ output }: ToolResult): object =>
  JSON.parse(typeof output === 'string' ? output : '{}') as object

/** Processes on this machine whose command line contains all of these texts. */
export function processesWith(...texts: readonly string[]): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const line = commandLine(pid)
      return texts.every((text) => line.includes(text))
    })
    .map(Number)
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // Zombies that were not reaped yet have no command line.
  return commandLine(`${pid}`) !== ''
}

/** Most probably nothing listens there. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries++) await sleep(10)
}
