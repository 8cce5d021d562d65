/**
 * E5. Complete means certified: the engine ran every check again, on exactly the tree that the certificate names,
 * in a clean checkout that no agent has seen. E7. The work alone turned red into green.
 *
 *   certify
 *   ├─ dependencies     approved before anything is installed
 *   ├─ examine          candidate, base, planted failures, control runs
 *   ├─ consult          agents that must review the work
 *   └─ refused, one question, or the certificate
 *
 * Only results on the base are reused, and results within one certification: what was found before a person was
 * asked still holds when the answer comes, because it is about the same tree.
 */

import type { Certification, Certifier, Subject } from '../../engine/index.ts'
import type { CertifierParts, Memory } from './certification.ts'
import { certifyTree } from './certify-tree.ts'
import { createInMemoryConcerns } from './consult.ts'

export function createCertifier(parts: CertifierParts): Certifier {
  const memory: Memory = {
    raised: parts.raised ?? createInMemoryConcerns(),
    refused: new Map(),
    declined: new Map(),
  }
  return {
    certify(subject, context): Promise<Certification> {
      const { tree, checks } = subject
      if (tree === undefined || checks.length === 0) return certifyCode(parts, subject)
      return certifyTree({ parts, memory, subject, context, tree, base: subject.base ?? tree })
    },
  }
}

/** For a loop whose own code decides, without files or checks: the certificate says so. */
async function certifyCode(parts: CertifierParts, subject: Subject): Promise<Certification> {
  const certificate = await parts.issue({
    subject,
    own: [],
    sealed: [],
    sealedChanges: [],
    approvals: [],
    consultations: [],
  })
  return { type: 'certified', certificate }
}
