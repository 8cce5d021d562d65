/** S4 and the rest of S7: where the real daemon listens, and how long an old token lives. */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type DaemonProcess, loopd } from './daemon-process.ts'
import type { Stage } from './daemon-stage.ts'
import { sendRaw } from './raw-http.ts'

/** Every address on which a process listens, as the kernel says. */
export function listenersOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  const sockets = new Set(
    readdirSync(folder).flatMap(
      (name) => /^socket:\[(\d+)\]$/.exec(linkOf(folder, name))?.[1] ?? [],
    ),
  )
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
      .map((fields) => `${table} ${fields[1]}`),
  )
}

function linkOf(folder: string, name: string): string {
  try {
    return readlinkSync(join(folder, name))
  } catch {
    return ''
  }
}

/** 127.0.0.1 and ::1, as the kernel writes them. */
const isLoopback = (listener: string): boolean =>
  listener.startsWith('tcp 0100007F:') || /^tcp6 0{24}01000000:/.test(listener)

/** What is wrong with where it listens. */
export async function findOpenDoors(daemon: DaemonProcess): Promise<readonly string[]> {
  const listeners = listenersOf(daemon.pid)
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  const reached = await Promise.all(
    ['127.0.0.2', ...others].map(async (host) => {
      const request = { method: 'GET', path: '/health', headers: [] }
      const { status } = await sendRaw({ host, port: daemon.port }, request)
      return status === 0 ? [] : [`it can be reached at ${host}`]
    }),
  )
  return [
    ...(listeners.length === 0 ? ['no listener was found, so nothing was looked at'] : []),
    ...listeners.filter((one) => !isLoopback(one)).map((one) => `it listens on ${one}`),
    ...reached.flat(),
  ]
}

/** Addresses that others can reach, without TLS: what was not refused. */
export async function findUnrefused(folder: string): Promise<readonly string[]> {
  const found = await Promise.all(
    ['0.0.0.0', '::', '192.0.2.1'].map(async (host, at) => {
      const words = ['--state', join(folder, `refused-${at}`), '--port', '0', '--host', host]
      const child = spawn(process.execPath, [loopd, ...words], { stdio: 'ignore' })
      const code = await new Promise((resolve) => child.once('exit', resolve))
      return code === 64 ? [] : [`${host} was not refused (${String(code)})`]
    }),
  )
  return found.flat()
}

export interface Rotation {
  /** Until a request with the old token was refused. */
  readonly refusedMs: number
  /** Until a stream that was open with it was closed. */
  readonly closedMs: number
}

const patienceMs = 10_000

/** Replaces the token while a stream is open. */
export async function rotate({ daemon }: Stage): Promise<Rotation> {
  const closed = await openStream(daemon)
  const at = new URL('../../dist/daemon/token-file.js', import.meta.url).href
  const { rotateToken } = (await import(at)) as typeof import('../src/daemon/token-file.ts')
  const startMs = performance.now()
  rotateToken(daemon.state)
  let refusedMs = Number.NaN
  while (Number.isNaN(refusedMs) && performance.now() - startMs < patienceMs) {
    const headers = { authorization: `Bearer ${daemon.token}` }
    const { status } = await fetch(`${daemon.address}/health`, { headers })
    if (status === 401) refusedMs = performance.now() - startMs
  }
  return { refusedMs, closedMs: (await closed()) - startMs }
}

/** Resolves when the stream is there; what it gives resolves when it is not any more. */
function openStream({ address, token }: DaemonProcess): Promise<() => Promise<number>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  return new Promise((resolve, reject) => {
    const request = get(`${address}/events`, { headers }, (response) => {
      const closed = new Promise<number>((done) => {
        response.on('close', () => done(performance.now()))
        setTimeout(() => done(Number.NaN), patienceMs).unref()
      })
      response.on('error', () => undefined)
      response.resume()
      if (response.statusCode === 200) resolve(() => closed)
      else reject(new Error(`A stream was answered with ${response.statusCode}.`))
    })
    request.on('error', reject)
  })
}
