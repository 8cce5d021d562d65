/** Describes a policy file for the user who is asked to trust it. */

import { resolve } from 'node:path'
import { loadCedar } from '../../authority/policy/cedar.ts'
import { PolicyError } from '../../authority/policy/policy-error.ts'
import { readRules } from '../../authority/policy/read-rules.ts'
import type { LoopPreview } from '../../definition/load-options.ts'
import { openTrust } from '../../definition/loop-file/trust.ts'
import { readPolicyFile } from './open-run-policy.ts'

/** Rejects with `bad-policy`. */
export async function previewPolicy(path: string, folder: string): Promise<LoopPreview> {
  const file = resolve(path)
  const { text, digest } = await readPolicyFile(file)
  const { rules, problems } = readRules(await loadCedar(), { file, text })
  if (problems.length > 0) throw new PolicyError(problems)
  return {
    file,
    digest,
    trusted: await openTrust(folder).isTrusted({ file, digest }),
    powers: rules.map(({ id, effect, line, reason }) => {
      const why = reason === undefined ? '' : `: ${reason}`
      return `${effect}s by the rule "${id}" in line ${line}${why}`
    }),
    variables: [],
  }
}
