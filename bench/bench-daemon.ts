/** loopd as a process of its own, on a folder that is there, and requests to it. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BenchDaemon {
  readonly address: string
  readonly token: string
  readonly pid: number
  /** The body, and how long it took to have all of it. */
  get(path: string): Promise<{ readonly body: string; readonly ms: number }>
  stop(): Promise<void>
}

const loopd = fileURLToPath(new URL('../../dist/daemon/loopd.js', import.meta.url))

export async function startBenchDaemon(state: string): Promise<BenchDaemon> {
  const child = spawn(process.execPath, [loopd, '--state', state, '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: state, USER: 'bench' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('loopd listens on')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`loopd ended with ${code}`)))
  })
  const file = readFileSync(join(state, 'daemon/daemon.json'), 'utf8')
  const { address, pid } = JSON.parse(file) as { address: string; pid: number }
  const token = readFileSync(join(state, 'daemon/token'), 'utf8').trim()
  return {
    address,
    pid,
    token,
    async get(path) {
      const startMs = performance.now()
      const response = await fetch(`${address}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const body = await response.text()
      const ms = performance.now() - startMs
      if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`)
      return { body, ms }
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
