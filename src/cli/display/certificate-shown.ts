/** The certificate of an iteration, as `show` has it: what it shows, and what its checks read. */

import type { Certificate } from '../../history/certificates/index.ts'
import { defined } from '../../loop/index.ts'
import { describeLevel, describeStrength } from '../../protocol/certificate/describe-strength.ts'

export interface CertificateShown {
  readonly id: string
  readonly strength?: Certificate['strength']
  /** In sentences. */
  readonly shows: readonly string[]
  readonly checks: readonly CheckReads[]
}

export interface CheckReads {
  readonly name: string
  readonly pass: 'own' | 'sealed'
  /** Absent: reads were not observed. */
  readonly reads?: {
    readonly count: number
    /** Absent: the list is no longer kept. */
    readonly files?: readonly string[]
  }
}

/** `readList` has the text of a list by its digest; undefined: it is not there. */
export async function showCertificate(
  id: string,
  certificate: Certificate,
  readList: (digest: string) => Promise<string | undefined>,
): Promise<CertificateShown> {
  const { strength } = certificate
  const level = describeLevel(certificate)
  const checks: CheckReads[] = []
  for (const { name, pass, reads } of certificate.checks) {
    const list = reads === undefined ? undefined : await readList(reads.digest)
    const files = list?.split('\n').filter((path) => path !== '')
    checks.push({
      name,
      pass,
      ...(reads === undefined ? {} : { reads: { count: reads.count, ...defined({ files }) } }),
    })
  }
  return {
    id,
    ...defined({ strength }),
    shows: [
      ...(level === undefined ? [] : [`Strength: ${level}.`]),
      ...describeStrength(certificate),
    ],
    checks,
  }
}

/** One line for each check on the candidate; with the files, for `--reads`. */
export function readsText({ checks }: CertificateShown, withFiles: boolean): readonly string[] {
  const own = checks.filter(({ pass }) => pass === 'own')
  return own.flatMap(({ name, reads }) => {
    if (reads === undefined) return withFiles ? [`${name}: reads were not observed`] : []
    const files = reads.files ?? ['(the list is no longer kept)']
    return [
      `${name} read ${reads.count} ${reads.count === 1 ? 'file' : 'files'}`,
      ...(withFiles ? files.map((file) => `  ${file}`) : []),
    ]
  })
}
