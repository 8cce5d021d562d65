/** A loop file that is not trusted as it is now: what it may do, and a box to allow it. */

import { ShieldAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import type { Preview } from '../../../client/browser.ts'

export interface TrustPanelProps {
  readonly preview: Preview
  readonly isTrusted: boolean
  readonly error: string | undefined
  onTrust(isTrusted: boolean): void
}

export const TrustPanel = ({
  preview,
  isTrusted,
  error,
  onTrust,
}: TrustPanelProps): ReactElement => (
  <section aria-labelledby="trust" className="grid gap-2 rounded-lg bg-warn-soft p-3">
    <h2 id="trust" className="flex items-center gap-2 font-semibold text-warn">
      <ShieldAlert size={16} aria-hidden /> This file is new here, or has changed
    </h2>
    <p>Read it before you run it. It</p>
    <ul className="list-disc pl-5">
      {preview.powers.map((power) => (
        <li key={power}>{power}</li>
      ))}
    </ul>
    <label className="flex items-start gap-2 font-medium">
      <input
        type="checkbox"
        checked={isTrusted}
        onChange={({ target }) => onTrust(target.checked)}
        className="mt-1"
      />
      <span>
        I have read {preview.file} and allow this. <code>{preview.digest.slice(0, 12)}</code>
      </span>
    </label>
    {error === undefined ? null : (
      <p role="alert" className="text-bad">
        Tick the box to start the run.
      </p>
    )}
  </section>
)
