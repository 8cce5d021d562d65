/**
 * Opens the checks of a loop file: for iterations in the workspace, and for certification in a clean checkout, where
 * they are also described.
 */

import type { Check, Tools } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import { sha256 } from '../../system/index.ts'
import type {
  CheckSummary,
  CheckSurroundings,
  DescribeContext,
  ObserveContext,
} from './check-runner.ts'
import { checkKind } from './kinds/registry.ts'
import type { ResolvedCheck, ResolvedChecks } from './resolved-check.ts'
import type { TestReports } from './test-reports.ts'

export interface OpenCheckContext extends CheckSurroundings, DescribeContext, ObserveContext {
  /** Tools that work in this folder, not in that of the run. */
  readonly tools: Tools
}

export function openChecks(
  checks: ResolvedChecks,
  place: CheckSurroundings,
  reports?: Pick<TestReports, 'add'>,
): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]) => {
      const run = checkKind(check).open(name, check, place)
      return [name, lenient(check, reports?.add(check, run) ?? run)]
    }),
  )
}

/** With `existing: allow`, a failing check does not hold up the iteration: certification compares it with the base. */
function lenient({ existing }: ResolvedCheck, run: Check): Check {
  if (existing !== 'allow') return run
  const allowing: Check = async (context) => {
    const found = await run(context)
    return found.status === 'not-met' ? { ...found, allowed: true } : found
  }
  return Object.assign(allowing, run)
}

/** Opens checks for a certificate. Checks in code are identified by their names. */
export async function openCertifyingChecks(
  checks: ResolvedChecks,
  code: Readonly<Record<string, Check>>,
  place: OpenCheckContext,
): Promise<readonly OpenCheck[]> {
  const opened: OpenCheck[] = []
  for (const [name, check] of Object.entries(checks)) {
    const { existing, outputs } = check
    const kind = checkKind(check)
    const run = code[name]
    const observe = kind.observe?.(check, place)
    opened.push(
      run === undefined
        ? {
            name,
            run: inPlace(kind.open(name, check, place), place.tools),
            ...(observe === undefined ? {} : { observe }),
            existing,
            outputs,
            environmentDigest: place.surroundings(kind.env?.(check)),
            ...(await kind.describe(name, check, place)),
          }
        : { name, run, existing, outputs, ...describeCode(name) },
    )
  }
  return opened
}

/** Built-in tools read the folder that they are passed. */
const inPlace =
  (check: Check, tools: Tools): Check =>
  (context) =>
    check({
      ...context,
      async callTool(name, args) {
        const isOurs = (await tools.list?.())?.some((tool) => tool.name === name) === true
        return isOurs ? tools.call(name, args, context) : context.callTool(name, args)
      },
    })

export const describeCode = (name: string): CheckSummary => ({
  kind: 'code',
  command: ['code', name],
  // The digest of the loop's code is in the certificate itself.
  toolDigest: sha256(`code ${name}`),
  names: [],
})
