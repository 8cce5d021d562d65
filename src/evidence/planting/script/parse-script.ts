/**
 * Parses a script in a thread with limits: a hostile text makes the parser take exponential time, all of the
 * memory or all of the stack, and must not stop the daemon.
 */

import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { ParserOptions } from '@babel/parser'
import { isNode, type Node } from './nodes.ts'

const limitMs = 10_000
const charsMax = 2_000_000

/** Undefined: it cannot be parsed, or not within the limits. */
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
const skipped = new Set(['loc', 'extra', 'comments', 'tokens', 'errors', 'innerComments'])
const slim = (key, value) =>
  skipped.has(key) ? undefined : typeof value === 'bigint' ? String(value) : value
let tree
try {
  const { program } = require(workerData.parser).parse(workerData.text, workerData.options)
  tree = JSON.stringify(program, slim)
} catch {}
parentPort.postMessage(tree)
`

export const parseScript: ParseScript = async (file, text) => {
  if (text.length > charsMax) return undefined
  const parser = createRequire(import.meta.url).resolve('@babel/parser')
  const worker = new Worker(source, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { parser, text, options: parserOptions(file) },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  })
  const answer = await new Promise<unknown>((resolve) => {
    const timer = setTimeout(resolve, limitMs)
    const end = (value?: unknown): void => {
      clearTimeout(timer)
      resolve(value)
    }
    worker.on('message', end)
    worker.on('error', () => end())
    worker.on('exit', () => end())
  })
  await worker.terminate()
  const tree: unknown = typeof answer === 'string' ? JSON.parse(answer) : undefined
  return isNode(tree) ? tree : undefined
}
