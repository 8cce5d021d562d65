/** E5. What a run can be called complete on: a certificate, or that there is nothing to certify. */

import type { RunState } from './state.ts'

/** The certificate must be from the last iteration and for the current files. */
export const isCertified = ({
  certificate,
  iteration,
  tree,
}: Pick<RunState, 'certificate' | 'iteration' | 'tree'>): boolean =>
  certificate !== undefined && certificate.iteration === iteration && certificate.tree === tree

/** No file differs from the base, also if the run has no workspace. */
export const isUnchanged = ({ baseTree, tree }: Pick<RunState, 'baseTree' | 'tree'>): boolean =>
  baseTree === tree
