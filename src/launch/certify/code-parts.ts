/**
 * The certifying parts of a run without a loop file. Its checks are code of the loop's author and run in the
 * clean checkout without a sandbox.
 */

import type { Check } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import { sha256 } from '../../system/index.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'

const deadlineMs = 24 * 3_600_000

export function codeParts(checks: Readonly<Record<string, Check>>): CertifyingParts {
  return {
    seals: { paths: [], except: [], keys: {}, changes: 'ask' },
    certify: {
      dependencies: 'install',
      installScripts: [],
      require: 'work-alone',
      quick: true,
      consult: [],
      deadlineMs,
    },
    // The checks are not in a sandbox.
    require: 'none',
    sealedFiles: [],
    async open() {
      return {
        checks: Object.entries(checks).map(([name, run]) => openCheck(name, run)),
        agents: { work: (role) => Promise.reject(new Error(`There is no agent "${role}".`)) },
        sandbox: { tier: 'none', limits: 'none', attended: true },
        close: async () => undefined,
      }
    },
  }
}

const openCheck = (name: string, run: Check): OpenCheck => ({
  name,
  kind: 'code',
  run,
  command: ['code', name],
  // The digest of the loop's code is in the certificate itself.
  toolDigest: sha256(`code ${name}`),
  existing: 'fix',
  outputs: [],
  names: [],
})
