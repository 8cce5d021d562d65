/** Saves the run as one file that can be sent. */

import { FileDown } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { Run } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { Button } from '../../../parts/button.tsx'
import { Problem } from '../../../parts/problem.tsx'

/** The browser has read it by then. */
const keptMs = 60_000

export function ReportButton({ run }: { readonly run: Run }): ReactElement {
  const { client } = useConnection()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (): Promise<void> => {
    setIsBusy(true)
    setError(undefined)
    try {
      const file = new Blob([await client.report(run.id)], { type: 'text/html' })
      const link = document.createElement('a')
      link.href = URL.createObjectURL(file)
      link.download = `${run.name.replaceAll(/[^\w.-]+/g, '-')}.html`
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), keptMs)
    } catch (failure) {
      setError(failure)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <>
      <Button
        disabled={isBusy}
        onClick={() => void save()}
        title="One HTML file that shows this run: no scripts, secrets masked"
      >
        <FileDown size={15} aria-hidden /> Report
      </Button>
      {error === undefined ? null : <Problem error={error} />}
    </>
  )
}
