/** Loops that a daemon drives for a proof, each in a folder of its own, and what became of them. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { previewLoop, trustLoop } from 'loopwright'
import type { DaemonProcess } from './daemon-process.ts'

export interface Ask {
  (method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>
}

export const askerOf =
  ({ address, token }: Pick<DaemonProcess, 'address' | 'token'>): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  }

/** A loop that completes once its agent was asked so often. */
export const countingLoop = (times: number): string => `prompt: Go on.
agent: { command: [sh, -c, 'echo x >> count.txt; sleep 0.1'] }
checks: { enough: 'test $(wc -l < count.txt) -ge ${times}' }
limits: { iterations: 200 }
certify: { teeth: false }
`

/** Writes it into a new folder and trusts it there. */
export async function writeLoop(state: string, folder: string, text: string): Promise<string> {
  mkdirSync(join(folder, 'work'), { recursive: true })
  // What was tried with the very same files is not tried again.
  writeFileSync(join(folder, 'work/which.txt'), folder)
  const file = join(folder, 'loop.yaml')
  writeFileSync(file, `name: proof\nworkspace: work\n${text}`)
  await trustLoop(await previewLoop(file, state), state)
  return file
}

export async function submit(ask: Ask, file: string): Promise<string> {
  const { run } = await ask('POST', '/runs', { file, attended: true })
  return (run as { id: string }).id
}

export async function statusOf(ask: Ask, run: string): Promise<string> {
  const { run: row } = await ask('GET', `/runs/${run}`)
  return (row as { status: string }).status
}

const ends = new Set(['completed', 'exhausted', 'stuck', 'stopped', 'cancelled', 'failed'])

/** The statuses that runs ended with; those that do not end in time have the one they are in. */
export async function endsOf(
  ask: Ask,
  runs: readonly string[],
  waitMs: number,
): Promise<readonly string[]> {
  const untilMs = performance.now() + waitMs
  while (true) {
    const statuses = await Promise.all(runs.map((run) => statusOf(ask, run)))
    if (statuses.every((status) => ends.has(status)) || performance.now() > untilMs) return statuses
    await sleep(200)
  }
}
