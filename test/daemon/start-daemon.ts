/** The real daemon as a process with its own state folder; it ends with the file's tests. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DaemonProcess, endedBy, startProcess } from '../../build/proof/daemon-process.js'
import { afterFile, firstAfterFile } from '../after.ts'

export interface StartedDaemon extends DaemonProcess {
  /** A request with the token, JSON in and out. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json(): unknown
}

export interface StartOptions {
  /** An existing one; default: a new one. */
  readonly state?: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Resolves when it listens; rejects with its output if it ended instead. */
export async function startDaemon(options: StartOptions = {}): Promise<StartedDaemon> {
  const { state = newState(), ...how } = options
  const daemon = await startProcess(state, {
    ...how,
    // Before its folder is removed.
    onStarted: (child) => firstAfterFile(() => endedBy(child, 'SIGKILL')),
  })
  return { ...daemon, ask: (method, path, body) => ask(daemon, { method, path, body }) }
}

/** A state folder that does not exist yet. */
export function newState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-daemon-'))
  // A process of git that was just ended may still write into a repository.
  const again = { maxRetries: 20, retryDelay: 100 }
  afterFile(() => rmSync(folder, { recursive: true, force: true, ...again }))
  return join(folder, 'state')
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

async function ask({ address, token }: DaemonProcess, asked: Asked): Promise<Answer> {
  const { method, path, body } = asked
  const isLooking = method === 'GET' || method === 'HEAD'
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isLooking ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  }
}
