/**
 * Finds the properties that a template expects of list items: in `{% for c in checks %}{{ c.name
 * }}`, the `name` of an item of `checks`. The library's own analysis ends at the loop variable.
 */

import type { Template, Variable } from 'liquidjs'
import { item, type Path } from './template-variables.ts'

export interface Use {
  readonly segments: Path
  readonly location: Variable['location']
}

type Library = Pick<typeof import('liquidjs'), 'analyzeSync' | 'ForTag' | 'toValueSync'>
type ForTag = InstanceType<Library['ForTag']>

/** The enclosing loops: what their variables stand for. */
interface Loops {
  readonly items: ReadonlyMap<string, Path>
  readonly depth: number
}

/** Nested loops are analyzed once for each level. */
const depthMax = 3

export function findItemUses(
  library: Library,
  template: Template[],
  inputs: readonly Variable[],
): readonly Use[] {
  const { analyzeSync, ForTag, toValueSync } = library
  const inputLocations = new Set(inputs.map(({ location }) => `${location.row}:${location.col}`))
  const uses: Use[] = []

  function visit(templates: readonly Template[], loops: Loops): void {
    for (const one of templates) {
      if (one instanceof ForTag) visitLoop(one, loops)
      else if (one.children !== undefined) visit(toValueSync(one.children(false, true)), loops)
    }
  }

  function visitLoop(loop: ForTag, loops: Loops): void {
    const depth = loops.depth + 1
    const path = depth > depthMax ? undefined : findPath(loop, loops)
    const items = new Map(loops.items)
    items.delete(loop.variable)
    if (path !== undefined) {
      const own: Path = [...path, item]
      items.set(loop.variable, own)
      const { globals } = analyzeSync(loop.templates, { partials: false })
      for (const { segments, location } of globals[loop.variable] ?? []) {
        uses.push({ segments: [...own, ...segments.slice(1)], location })
      }
    }
    visit(loop.templates, { items, depth })
    visit(loop.elseTemplates, loops)
  }

  /** What the loop iterates over, if that is an input or part of an item of one. */
  function findPath(loop: ForTag, { items }: Loops): Path | undefined {
    const { collection, token } = loop
    const probe: Template = { token, render: () => undefined, arguments: () => [collection] }
    const [row, col] = collection.getPosition()
    const variables = Object.values(analyzeSync([probe], { partials: false }).variables).flat()
    const found = variables.find(({ location }) => location.row === row && location.col === col)
    if (found === undefined) return undefined
    if (inputLocations.has(`${row}:${col}`)) return found.segments
    const [name, ...rest] = found.segments
    const before = typeof name === 'string' ? items.get(name) : undefined
    return before === undefined ? undefined : [...before, ...rest]
  }

  visit(template, { items: new Map(), depth: 0 })
  return uses
}
