/**
 * Parses a script in a worker thread with limits: a hostile text can make the parser take exponential time, or all of the
 * memory or stack, and must not stop the daemon.
 */

import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { ParserOptions } from '@babel/parser'
import { isNode, type Node } from './nodes.ts'

const limitMs = 10_000
const charsMax = 2_000_000

/** Undefined: it cannot be parsed within the limits. */
export type ParseScript = (file: string, text: string) => Promise<Node | undefined>

export function parserOptions(file: string): ParserOptions {
  const typed = /\.[cm]?tsx?$/.test(file)
  const tags = file.endsWith('x') || !typed
  return {
    sourceType: 'unambiguous',
    errorRecovery: true,
    createParenthesizedExpressions: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    attachComment: false,
    plugins: [
      'estree',
      'decorators-legacy',
      'explicitResourceManagement',
      ...(typed ? (['typescript'] as const) : []),
      ...(tags ? (['jsx'] as const) : []),
    ],
  }
}

const source = `
const { parentPort, workerData } = require('node:worker_threads')
const { parse } = require(workerData.parser)
const skipped = new Set(['loc', 'extra', 'comments', 'tokens', 'errors', 'innerComments'])
const slim = (key, value) =>
  skipped.has(key) ? undefined : typeof value === 'bigint' ? String(value) : value
parentPort.on('message', ({ id, text, options }) => {
  let tree
  try {
    tree = JSON.stringify(parse(text, options).program, slim)
  } catch {}
  parentPort.postMessage({ id, tree })
})
`

interface Answer {
  readonly id: number
  readonly tree?: string
}

/** One thread for all texts, because starting it takes longer than parsing most of them. */
let thread: Worker | undefined
let lastId = 0

export const parseScript: ParseScript = async (file, text) => {
  if (text.length > charsMax) return undefined
  const id = ++lastId
  const worker = (thread ??= startThread())
  const answer = await new Promise<string | undefined>((resolve) => {
    const end = (value?: string): void => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('exit', onExit)
      resolve(value)
    }
    const onMessage = (message: Answer): void => {
      if (message.id === id) end(message.tree)
    }
    const onExit = (): void => end()
    // Texts queued behind one that takes too long are not parsed either.
    const timer = setTimeout(() => void worker.terminate(), limitMs)
    worker.on('message', onMessage).on('exit', onExit)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id, text, options: parserOptions(file) })
  })
  const tree: unknown = answer === undefined ? undefined : JSON.parse(answer)
  return isNode(tree) ? tree : undefined
}

function startThread(): Worker {
  const parser = createRequire(import.meta.url).resolve('@babel/parser')
  const worker = new Worker(source, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { parser },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  })
  worker.setMaxListeners(0)
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    if (thread === worker) thread = undefined
  })
  // Does not keep the process alive.
  worker.unref()
  return worker
}
