/**
 * A file of the project as text, as JavaScript, and as a syntax tree. Only the types of TypeScript
 * are blanked out: the rest stays in place, so offsets in the tree are offsets in the file.
 */

import { createRequire } from 'node:module'
import { type AnyNode, type Program, parse } from 'acorn'

export interface SourceFile {
  /** Relative to the project root. */
  readonly path: string
  readonly text: string
  /** The text without types. */
  readonly code: string
  readonly program: Program
}

/** A file that can be loaded although it cannot be searched. */
export interface LoadableFile {
  readonly path: string
  readonly code: string
}

export function parseSource(path: string, text: string): SourceFile | undefined {
  const code = isTypeScript(path) ? strip(text) : text
  if (code === undefined || code.length !== text.length) return undefined
  const program = parseCode(code)
  return program === undefined ? undefined : { path, text, code, program }
}

export const isTypeScript = (path: string): boolean => /\.[cm]?ts$/.test(path)

/** Also with enums and the like, for which code has to be generated. */
export function toLoadable(path: string, text: string): LoadableFile {
  return { path, code: strip(text) ?? transform(text) ?? text }
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
      // Old non-strict code is not a valid module.
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

/** It has no type declarations, and takes a moment to load. */
let amaro: Amaro | undefined

/** For our own code, which is known to be erasable. */
export function stripTypes(text: string): string {
  const code = strip(text)
  if (code === undefined) throw new Error('The types cannot be stripped.')
  return code
}

const strip = (text: string): string | undefined => transformTypes(text, 'strip-only')
const transform = (text: string): string | undefined => transformTypes(text, 'transform')

function transformTypes(text: string, mode: 'strip-only' | 'transform'): string | undefined {
  amaro ??= createRequire(import.meta.url)('amaro') as Amaro
  try {
    return amaro.transformSync(text, { mode }).code
  } catch {
    return undefined
  }
}

/** Visits every node with its ancestors, nearest first; children in text order. */
export function walk(
  root: AnyNode,
  visit: (node: AnyNode, ancestors: readonly AnyNode[]) => void,
): void {
  const visitBelow = (node: AnyNode, ancestors: readonly AnyNode[]): void => {
    visit(node, ancestors)
    const inner = [node, ...ancestors]
    for (const child of listChildren(node)) visitBelow(child, inner)
  }
  visitBelow(root, [])
}

export function listChildren(node: AnyNode): AnyNode[] {
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
