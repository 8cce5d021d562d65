/** The log of the daemon, for people, and line by line for programs; also while it grows. */

import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { renderTime, visible } from '../display/render.ts'
import type { Session } from '../session.ts'

const tailBytes = 4 * 1024 * 1024
const lookMs = 300

export async function showLog(
  session: Session,
  folder: string,
  { follow = false, lines }: { readonly follow?: boolean; readonly lines: number },
): Promise<void> {
  const path = join(folder, 'daemon', 'loopd.log')
  if (!existsSync(path)) {
    const message = `There is no log of a daemon in ${folder}.`
    throw new LoopError('unknown-file', `${message} Start one with: loopctl daemon start`)
  }
  const first = await read(path, undefined)
  const all = first.text.split('\n').filter((line) => line !== '')
  if (lines > 0) for (const line of all.slice(-lines)) say(session, line)
  let seen = first
  let rest = ''
  while (follow) {
    await new Promise((done) => void setTimeout(done, lookMs))
    const next = await read(path, seen).catch(() => undefined)
    // Between an old one that was put aside and a new one.
    if (next === undefined) continue
    const parts = `${rest}${next.text}`.split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) say(session, line)
    seen = next
  }
}

interface Seen {
  readonly inode: number
  readonly size: number
  readonly text: string
}

/** What was added since; of another file, all of it. */
async function read(path: string, seen: Seen | undefined): Promise<Seen> {
  const { ino: inode, size } = await stat(path)
  const isSame = seen?.inode === inode && size >= seen.size
  const from = isSame ? seen.size : Math.max(0, seen === undefined ? size - tailBytes : 0)
  if (from === size) return { inode, size, text: '' }
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    return { inode, size: from + bytesRead, text: buffer.subarray(0, bytesRead).toString('utf8') }
  } finally {
    await file.close()
  }
}

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

function say({ json, terminal }: Session, line: string): void {
  if (json) process.stdout.write(`${line}\n`)
  else process.stdout.write(`${renderLogLine(line, terminal.style)}\n`)
}

export function renderLogLine(line: string, style: Session['terminal']['style']): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return visible(line)
  }
  const { level, time, msg, pid: _pid, ...fields } = entry
  const name = levels[Number(level)] ?? String(level)
  const shown = Object.entries(fields).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${key}=${text}`
  })
  const words = visible([String(msg), ...shown].join('  '))
  const tone = Number(level) >= 50 ? style.red : Number(level) >= 40 ? style.yellow : style.dim
  return `${renderTime(Number(time))} ${tone(name.padEnd(5))} ${words}`
}
