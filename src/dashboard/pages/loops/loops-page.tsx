/** Loops and their schedules: what runs without you, when, at which level; and what could be added. */

import type { ReactElement } from 'react'
import { Loading, Problem } from '../../parts/problem.tsx'
import { CatalogSection } from './catalog-section.tsx'
import { ProjectsSection } from './projects-section.tsx'
import { SchedulesSection } from './schedules-section.tsx'
import { useCatalog, useLevels, useLoopFiles, useSchedules } from './use-loops.ts'

export function LoopsPage(): ReactElement {
  const schedules = useSchedules()
  const loops = useLoopFiles()
  const levels = useLevels()
  const catalog = useCatalog()
  const problems = [loops.error, levels.error, catalog.error, schedules.error].filter(
    (error) => error !== null && error !== undefined,
  )
  return (
    <div className="mx-auto grid max-w-6xl gap-6 p-4 md:p-6">
      <h1 className="text-lg font-semibold">Loops and schedules</h1>
      {problems.map((error) => (
        <Problem key={textOfError(error)} error={error} />
      ))}
      {schedules.data === undefined ? <Loading /> : <SchedulesSection list={schedules.data} />}
      {loops.data === undefined ? null : (
        <ProjectsSection
          loops={loops.data}
          levels={levels.data ?? []}
          schedules={schedules.data?.items ?? []}
        />
      )}
      {catalog.data === undefined ? null : (
        <CatalogSection catalog={catalog.data} loops={loops.data ?? []} />
      )}
    </div>
  )
}

const textOfError = (error: unknown): string => (error instanceof Error ? error.message : '')
