/** The spec and plan of `loopctl run x.md`: where they are, and what is wrong with them. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { findNearestName, LoopError } from '../loop/index.ts'
import { readSmallFileSync } from '../system/small-file.ts'
import { visible } from './display/render.ts'

const specEndings = ['.md', '.markdown', '.txt']
const bytesMax = 1024 * 1024

export interface ChosenSpec {
  /** Absolute. */
  readonly spec: string
  readonly plan?: string
}

/** Undefined: `named` is a loop file. `specsDir`: relative to the current folder. */
export function chooseSpec(
  named: string | undefined,
  plan: string | undefined,
  specsDir: string,
): ChosenSpec | undefined {
  const spec = named === undefined ? undefined : findSpec(named, specsDir)
  if (spec === undefined) {
    if (plan === undefined) return undefined
    const message = `${visible(named ?? '')} is not a spec, so ${visible(plan)} cannot be its plan.`
    throw new LoopError(
      'bad-request',
      `${message} Use: loopctl run <spec.md> [plan.md]. With a loop file: --input plan=${visible(plan)}`,
    )
  }
  requireText(spec, 'spec')
  if (plan === undefined) return { spec }
  const file = resolve(plan)
  requireText(file, 'plan')
  return { spec, plan: file }
}

/** A path with the ending of a text, or the name of a file in the folder of specs. */
function findSpec(named: string, specsDir: string): string | undefined {
  if (specEndings.includes(extname(named).toLowerCase())) return resolve(named)
  if (/[/.]/.test(named) || existsSync(named)) return undefined
  const isLoop = ['yaml', 'yml'].some((end) => existsSync(join('loops', `${named}.${end}`)))
  const spec = join(specsDir, `${named}.md`)
  return !isLoop && existsSync(spec) ? resolve(spec) : undefined
}

function requireText(file: string, what: 'spec' | 'plan'): void {
  const shown = visible(file)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) {
    throw new LoopError(
      'unknown-file',
      `The ${what} ${shown} does not exist. ${similar(file, what)}`,
    )
  }
  if (found.isDirectory()) {
    throw new LoopError('bad-request', `${shown} is a folder. Name a file in it.`)
  }
  const text = readText(file, what)
  if (text.trim() === '') {
    const advice = what === 'spec' ? 'Write what is to be built' : 'Write its tasks as "- [ ] …"'
    throw new LoopError('bad-request', `The ${what} ${shown} is empty. ${advice}, then run it.`)
  }
}

function readText(file: string, what: string): string {
  let text: string
  try {
    text = readSmallFileSync(file, bytesMax)
  } catch (cause) {
    const message = `The ${what} ${visible(file)} cannot be read: it must be a text file of at most 1 MiB, not a link.`
    throw new LoopError('bad-request', `${message} Name another file.`, { cause })
  }
  if (!/[\0\ufffd]/.test(text)) return text
  const message = `The ${what} ${visible(file)} is not text in UTF-8.`
  throw new LoopError('bad-request', `${message} Convert it, or name another file.`)
}

function similar(file: string, what: string): string {
  try {
    const names = readdirSync(dirname(file)).filter((name) =>
      specEndings.includes(extname(name).toLowerCase()),
    )
    const near = findNearestName(basename(file), names)
    return near === undefined ? `Check the path of the ${what}.` : `Did you mean ${visible(near)}?`
  } catch {
    return `Check the path of the ${what}.`
  }
}

/** The specs of a folder, for --pick. */
export function specFiles(specsDir: string): readonly string[] {
  try {
    return readdirSync(specsDir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?!LEARNINGS\.|README\.|\.).+\.md$/i.test(entry.name))
      .map(({ name }) => join(specsDir, name))
      .toSorted()
  } catch {
    return []
  }
}
