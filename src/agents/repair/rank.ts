/**
 * Computes how suspicious each part of the code is: Ochiai's measure over the tests that ran it. Of
 * the measures tried on planted defects it ranks the right edit first most often, combined with the
 * operators' priors (docs/repair.md).
 */

import type { AnyNode } from 'acorn'
import type { Region } from './probes.ts'
import { type SourceFile, walk } from './source-file.ts'

export interface TestRun {
  readonly ok: boolean
  /** The counters that it moved. */
  readonly hits: Uint8Array
}

/** For code that ran only when the file was loaded. */
const loadedOnly = 0.12
/** A constant is nearly as suspicious as the code that uses it. */
const byUse = 0.9

export function isHit(hits: Uint8Array, probe: number): boolean {
  return (((hits[probe >> 3] ?? 0) >> (probe & 7)) & 1) === 1
}

/** From 0 to 1 for each counter. */
export function computeSuspicion(tests: readonly TestRun[], probes: number): Float64Array {
  const failing = tests.filter(({ ok }) => !ok)
  const scores = new Float64Array(probes)
  for (let probe = 0; probe < probes; probe++) {
    const failed = failing.filter(({ hits }) => isHit(hits, probe)).length
    if (failed === 0) continue
    const all = tests.filter(({ hits }) => isHit(hits, probe)).length
    scores[probe] = failed / Math.sqrt(failing.length * all)
  }
  return scores
}

/**
 * Code outside functions runs when a file is loaded, not in a particular test. It is as suspicious
 * as the code that uses the names it declares.
 */
export function addTopLevelSuspicion(
  scores: Float64Array,
  file: SourceFile,
  { regions, table, firstNumber }: FileRegions,
  isLoaded: (probe: number) => boolean,
): void {
  const isTopLevel = (probe: number): boolean => regions[probe - firstNumber]?.isTopLevel === true
  const uses = new Map<string, number>()
  walk(file.program, (node) => {
    if (node.type !== 'Identifier') return
    const probe = table[node.start] ?? -1
    if (probe === -1 || isTopLevel(probe)) return
    uses.set(node.name, Math.max(uses.get(node.name) ?? 0, scores[probe] ?? 0))
  })
  for (const statement of file.program.body) {
    const best = Math.max(0, ...declaredNames(statement).map((name) => uses.get(name) ?? 0))
    for (const [index, region] of regions.entries()) {
      const probe = firstNumber + index
      if (!region.isTopLevel || !isLoaded(probe)) continue
      if (region.start < statement.start || region.end > statement.end) continue
      scores[probe] = Math.max(scores[probe] ?? 0, loadedOnly, byUse * best)
    }
  }
}

/** The counters of one file, and the counter of each offset. */
export interface FileRegions {
  readonly regions: readonly Region[]
  readonly table: Int32Array
  readonly firstNumber: number
}

function declaredNames(statement: AnyNode): readonly string[] {
  const names: string[] = []
  walk(statement, (node, ancestors) => {
    if (ancestors.some(({ type }) => type.includes('Function'))) return
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier')
      names.push(node.id.name)
    if (node.type !== 'AssignmentExpression') return
    const { left } = node
    if (left.type === 'Identifier') names.push(left.name)
    else if (left.type === 'MemberExpression' && left.property.type === 'Identifier') {
      names.push(left.property.name)
    }
  })
  return names
}
