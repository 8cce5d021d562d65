/**
 * A file of the project as text, as JavaScript, and as a tree. TypeScript loses its types and nothing
 * else: what is left stands where it stood, so places in the tree are places in the file.
 */

import { createRequire } from 'node:module'
import { type AnyNode, type Program, parse } from 'acorn'

export interface SourceFile {
  /** From the root of the project. */
  readonly path: string
  readonly text: string
  /** The text without types. */
  readonly code: string
  readonly program: Program
}

/** What can be loaded though it cannot be searched. */
export interface LoadableFile {
  readonly path: string
  readonly code: string
}

export function parseSource(path: string, text: string): SourceFile | undefined {
  const code = isTypeScript(path) ? stripped(text) : text
  if (code === undefined || code.length !== text.length) return undefined
  const program = parseCode(code)
  return program === undefined ? undefined : { path, text, code, program }
}

export const isTypeScript = (path: string): boolean => /\.[cm]?ts$/.test(path)

/** Also with enums and the like, for which code has to be made. */
export function loadable(path: string, text: string): LoadableFile {
  return { path, code: stripped(text) ?? transformed(text) ?? text }
}

export function parseCode(code: string): Program | undefined {
  const options = {
    ecmaVersion: 'latest',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
  } as const
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return parse(code, { ...options, sourceType })
    } catch {
      // Loose code of old is no module.
    }
  }
  return undefined
}

interface Amaro {
  transformSync(
    source: string,
    options: { readonly mode: 'strip-only' | 'transform' },
  ): { readonly code: string }
}

/** It has no types of its own, and takes a moment to load. */
let amaro: Amaro | undefined

/** For code of our own, which is known to be erasable. */
export function stripTypes(text: string): string {
  const code = stripped(text)
  if (code === undefined) throw new Error('The types cannot be left out.')
  return code
}

const stripped = (text: string): string | undefined => without(text, 'strip-only')
const transformed = (text: string): string | undefined => without(text, 'transform')

function without(text: string, mode: 'strip-only' | 'transform'): string | undefined {
  amaro ??= createRequire(import.meta.url)('amaro') as Amaro
  try {
    return amaro.transformSync(text, { mode }).code
  } catch {
    return undefined
  }
}

/** Every node with those above it, the nearest first; children in the order of the text. */
export function walk(
  root: AnyNode,
  visit: (node: AnyNode, ancestors: readonly AnyNode[]) => void,
): void {
  const down = (node: AnyNode, ancestors: readonly AnyNode[]): void => {
    visit(node, ancestors)
    const inner = [node, ...ancestors]
    for (const child of childrenOf(node)) down(child, inner)
  }
  down(root, [])
}

export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = []
  for (const value of Object.values(node) as readonly unknown[]) {
    if (isNode(value)) children.push(value)
    else if (Array.isArray(value)) children.push(...value.filter(isNode))
  }
  return children
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'start' in value
