/** The manifest that answers add up to, as its author would write it. Pure. */

import { parseManifest } from '../../../protocol/index.ts'
import { topics } from './topics.ts'

/** Answers by the name of the field. */
export type FieldAnswers = { readonly [field: string]: string }

/** As JSON, with what is wrong with it. */
export interface DraftManifest {
  readonly text: string
  readonly problems: readonly string[]
}

export function draftManifest(answers: FieldAnswers): DraftManifest {
  const fields = topics.flatMap((topic) => topic.fields)
  const written = Object.fromEntries(
    fields.flatMap(({ name, type }): readonly (readonly [string, unknown])[] => {
      const answer = answers[name]?.trim() ?? ''
      if (answer === '' || name === 'composer' || name === 'reviewer') return []
      if (type === 'list') return [[name, splitList(answer)]]
      return [[name, type === 'number' ? toNumber(answer) : answer]]
    }),
  )
  const composer = answers['composer']?.trim() ?? ''
  const reviewer = answers['reviewer']?.trim() ?? ''
  const agents = {
    ...(composer === '' ? {} : { composer: { promptFile: composer } }),
    ...(reviewer === '' ? {} : { reviewer: { promptFile: reviewer } }),
  }
  const whole = Object.keys(agents).length === 0 ? written : { ...written, agents }
  return checkManifest(`${JSON.stringify(whole, undefined, 2)}\n`)
}

export function checkManifest(text: string): DraftManifest {
  const parsed = parseManifest(text)
  return { text, problems: parsed.type === 'invalid' ? parsed.problems : [] }
}

const splitList = (answer: string): readonly string[] =>
  answer
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** What is not a number stays text, so that the manifest says what is wrong with it. */
const toNumber = (answer: string): number | string =>
  /^\d+(?:\.\d+)?$/.test(answer) ? Number(answer) : answer

/** `field = value`, as a person adjusts a manifest: the value is JSON, or text. A text: what is wrong. */
export function adjustManifest(text: string, change: string): DraftManifest | string {
  const [, name, value = ''] =
    /^\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*=\s*(.*?)\s*$/s.exec(change) ?? []
  if (name === undefined) return 'write it as field = value, such as maxIterations = 5'
  const manifest = JSON.parse(text) as object
  const path = name.split('.')
  const changed = setIn(manifest, path, value === '' ? undefined : parseValue(value))
  return checkManifest(`${JSON.stringify(changed, undefined, 2)}\n`)
}

function setIn(value: unknown, [first, ...rest]: readonly string[], to: unknown): unknown {
  if (first === undefined) return to
  const known = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const fields = Object.entries(known).filter(([name]) => name !== first)
  const inner = setIn(Object.entries(known).find(([name]) => name === first)?.[1], rest, to)
  return Object.fromEntries(inner === undefined ? fields : [...fields, [first, inner]])
}

function parseValue(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/**
 * The same manifest for another folder: manifests lie with the code of their workload, and name paths from there. A text: a path
 * that is not in that folder.
 */
export function moveManifest(
  text: string,
  from: string,
  to: string,
): string | { readonly text: string } {
  if (from === to) return { text }
  if (from !== '') return `it lies in ${from} already`
  const manifest = JSON.parse(text) as { readonly [field: string]: unknown }
  const outside: string[] = []
  const move = (path: unknown): unknown => {
    if (typeof path !== 'string') return path
    if (path.startsWith(`${to}/`)) return path.slice(to.length + 1)
    outside.push(path)
    return path
  }
  const lists = ['artifactPaths', 'casePaths', 'expectedPaths', 'domainDocs']
  const moved = Object.fromEntries(
    Object.entries(manifest).map(([name, value]) => {
      if (lists.includes(name) && Array.isArray(value)) return [name, value.map(move)]
      return [name, name === 'outputPath' ? move(value) : value]
    }),
  )
  const [first] = outside
  if (first !== undefined) return `${first} is not in ${to}`
  return { text: `${JSON.stringify(moved, undefined, 2)}\n` }
}
