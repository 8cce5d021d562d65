/** The same work for everybody: a model call of 1000 characters and a small tool call, both kept. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoopType } from 'loopwright'

/** Text that does not compress: a linear congruential generator over base64 letters. */
export function randomText(seed: number, length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let state = (seed * 2654435761 + 1) >>> 0
  let text = ''
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    text += letters[state >>> 26]
  }
  return text
}

const poolSize = 512
const pool = Array.from({ length: poolSize }, (_, index) => randomText(index, 1000))

export const modelText = (iteration: number): string => pool[iteration % poolSize] ?? ''

export interface Message {
  readonly role: string
  readonly text: string
}

/** What is carried on is a count. */
export function plainLoop(
  iterations: number,
  onIteration?: (iteration: number) => void,
): LoopType<null, null, { last: number }, number> {
  return {
    name: 'bench-plain',
    createContext: () => null,
    async iterate(_context, it) {
      onIteration?.(it.number)
      await it.step('model', () => modelText(it.number))
      await it.step('tool', () => ({ ok: true, n: it.number }))
      return it.number
    },
    extractProgress: (last) => ({ last }),
    until: [{ type: 'max-iterations', iterations }],
  }
}

/** What is carried on is every message so far. */
export function historyLoop(
  iterations: number,
  onIteration?: (iteration: number) => void,
): LoopType<null, readonly Message[], readonly Message[], readonly Message[]> {
  return {
    name: 'bench-history',
    createContext: (_input, previous) => previous ?? [],
    async iterate(messages, it) {
      onIteration?.(it.number)
      const text = await it.step('model', () => modelText(it.number))
      const tool = await it.step('tool', () => `ok ${it.number}`)
      return [...messages, { role: 'assistant', text }, { role: 'tool', text: tool }]
    },
    extractProgress: (messages) => messages,
    until: [{ type: 'max-iterations', iterations }],
  }
}

export const noLimits = { iterations: 1_000_000 }

/** A folder that is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

export async function costOf(work: () => Promise<void> | void): Promise<Cost> {
  const cpu = process.cpuUsage()
  const began = process.hrtime.bigint()
  await work()
  const wallMs = Number(process.hrtime.bigint() - began) / 1e6
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs }
}
