/** Rows that the store reads around because their content is damaged, named for a person. */

import type { Database } from '../database.ts'

const shownMax = 100

const queries: readonly string[] = [
  "SELECT 'schedule \"' || name || '\"' AS name FROM schedules WHERE NOT (json_valid(definition) AND json_valid(state))",
  "SELECT 'a tick of schedule \"' || schedules.name || '\"' AS name FROM schedule_ticks JOIN schedules ON schedules.id = schedule WHERE NOT json_valid(body)",
  "SELECT 'the settings of all schedules' AS name FROM schedule_settings WHERE NOT json_valid(body)",
  "SELECT 'level change ' || id || ' of loop \"' || loop || '\"' AS name FROM level_changes " +
    'WHERE NOT (level IN (1, 2, 3) AND from_level IN (1, 2, 3) AND (details IS NULL OR json_valid(details)))',
  "SELECT 'memory m' || id || ' of loop \"' || loop || '\"' AS name FROM memories WHERE NOT json_valid(tags)",
]

/** Empty: none. */
export const findDamagedRows = (database: Database): readonly string[] =>
  queries
    .flatMap((sql) => database.prepare(`${sql} LIMIT ${shownMax}`).all() as { name: string }[])
    .map(({ name }) => `${name} is damaged, and is read as if it were empty`)
