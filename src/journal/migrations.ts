/**
 * The tables, as a list of migrations. Released migrations are never edited; a change is a new entry.
 */

export const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    loop TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Where it began: 0, or the checkpoint that it goes on from.
    first_iteration INTEGER NOT NULL,
    workspace TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_status ON runs (status, key);

  -- The record. "position" orders the store, "seq" orders the run and has no gaps.
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_run_seq ON events (run, seq);

  CREATE TABLE leases (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    owner TEXT,
    fence INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  -- The newest snapshot only: older states are folds over the events before it.
  CREATE TABLE snapshots (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    seq INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE checkpoints (
    run INTEGER NOT NULL REFERENCES runs (key),
    iteration INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (run, iteration)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (key),
    question TEXT,
    body TEXT NOT NULL,
    by TEXT NOT NULL,
    at INTEGER NOT NULL,
    applied_seq INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX decisions_one_answer ON decisions (run, question)
    WHERE question IS NOT NULL;
  CREATE INDEX decisions_pending ON decisions (run, id) WHERE applied_seq IS NULL;

  -- What garbage collection must keep: content and trees that events name.
  CREATE TABLE named_content (
    hash TEXT NOT NULL,
    is_tree INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    PRIMARY KEY (hash, run)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The highest key of a run and position of an event that were removed: none is used twice.
  CREATE TABLE removed (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    run INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;
  INSERT INTO removed VALUES (1, 0, 0);
  `,
  `
  -- What agents tried, by all that they were given, and where the end of it is.
  CREATE TABLE tried (
    fingerprint TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    seq INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    PRIMARY KEY (fingerprint, run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tried_run ON tried (run);
  `,
  `
  -- What is known of a run besides its events: where its folder is, what became of its work.
  CREATE TABLE facts (
    run INTEGER NOT NULL REFERENCES runs (key),
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;

  -- Runs that a daemon is to drive, until they end or are removed from the queue.
  CREATE TABLE queue (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    priority INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    by TEXT,
    workspace TEXT,
    request TEXT NOT NULL,
    retry_at INTEGER,
    tries INTEGER NOT NULL,
    why TEXT
  ) STRICT;

  -- Keys of requests that made a run: the same one makes no second.
  CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX requests_at ON requests (at);
  CREATE INDEX requests_run ON requests (run);

  -- The checkout that a run's worktree belongs to; lists are asked for it like for the workspace.
  ALTER TABLE runs ADD COLUMN repository TEXT;
  UPDATE runs SET repository = (SELECT json_extract(body, '$.worktree.repository') FROM events
    WHERE events.run = runs.key AND events.seq = 1);
  UPDATE runs SET repository = substr(repository, 1, length(repository) - 5)
    WHERE repository LIKE '%/.git';
  CREATE INDEX runs_workspace ON runs (workspace, key) WHERE workspace IS NOT NULL;
  CREATE INDEX runs_repository ON runs (repository, key) WHERE repository IS NOT NULL;
  CREATE INDEX runs_loop ON runs (loop, key);

  -- What is looked for in a long run without reading all of it: all but the steps and what they
  -- say and spend, and the answers of checks.
  CREATE INDEX events_rare ON events (run, type, seq) WHERE type NOT IN (7, 8, 11, 12, 17);
  CREATE INDEX events_evidence ON events (run, seq)
    WHERE type = 8 AND instr(body, '"evidence":{"') > 0;

  -- When a lease ends by the machine's time since it was booted: the wall clock can be changed.
  ALTER TABLE leases ADD COLUMN expires_up INTEGER;

  -- What is asked of people now, by the event that asks it: the inbox of all runs.
  CREATE TABLE questions (
    run INTEGER NOT NULL REFERENCES runs (key),
    -- As decisions name it: iteration and step.
    question TEXT NOT NULL,
    step TEXT NOT NULL,
    seq INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    deadline_at INTEGER NOT NULL,
    PRIMARY KEY (run, question)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX questions_deadline ON questions (deadline_at, run, question);
  INSERT OR IGNORE INTO questions
    SELECT asked.run, json_extract(asked.body, '$.iteration') || '/' ||
        json_extract(asked.body, '$.step'),
      json_extract(asked.body, '$.step'), asked.seq, asked.at,
      json_extract(asked.body, '$.wakeAtMs')
    FROM runs JOIN events AS asked ON asked.run = runs.key
    WHERE runs.status IN ('running', 'waiting', 'suspended', 'paused') AND asked.type = 7
      AND json_extract(asked.body, '$.question') IS NOT NULL
      -- Not answered, and in the iteration that is open, since it was begun or begun anew.
      AND NOT EXISTS (SELECT 1 FROM events AS later WHERE later.run = asked.run
        AND later.seq > asked.seq AND (later.type IN (6, 14)
          OR (later.type = 4 AND json_extract(later.body, '$.again') IS NULL)
          OR (later.type = 5 AND json_extract(later.body, '$.ending.type')
            NOT IN ('interrupted', 'rate-limited'))
          OR (later.type IN (8, 9)
            AND json_extract(later.body, '$.step') = json_extract(asked.body, '$.step'))))
    ORDER BY asked.run, asked.seq;
  `,
  `
  -- Work that waits to be merged into a branch, and what became of it.
  CREATE TABLE merges (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES runs (key),
    repository TEXT NOT NULL,
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    queued_at INTEGER NOT NULL,
    request TEXT NOT NULL,
    progress TEXT NOT NULL
  ) STRICT;
  CREATE INDEX merges_open ON merges (repository, target, id) WHERE state IN ('queued', 'merging');
  CREATE INDEX merges_landed ON merges (repository, target, id) WHERE state = 'merged';
  CREATE INDEX merges_run ON merges (run);

  -- Who works through the requests of a target.
  CREATE TABLE merge_leases (
    repository TEXT NOT NULL,
    target TEXT NOT NULL,
    owner TEXT,
    fence INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    expires_up INTEGER,
    PRIMARY KEY (repository, target)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What loops remember, by loop and repository ('': none), and an index of its words.
  CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL,
    repository TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    source TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER,
    bytes INTEGER NOT NULL,
    UNIQUE (loop, repository, key)
  ) STRICT;
  CREATE INDEX memories_scope ON memories (loop, repository, id);
  CREATE VIRTUAL TABLE memory_words USING fts5(text, tags, content = 'memories', content_rowid = 'id');
  CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
    INSERT INTO memory_words (rowid, text, tags) VALUES (new.id, new.text, new.tags);
  END;
  CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
    INSERT INTO memory_words (memory_words, rowid, text, tags)
      VALUES ('delete', old.id, old.text, old.tags);
  END;
  `,
  `
  -- What starts runs at a time or after an event, and what each of their ticks did.
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    definition TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE schedule_ticks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    tick TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX schedule_ticks_tick ON schedule_ticks (schedule, tick);
  CREATE INDEX schedule_ticks_newest ON schedule_ticks (schedule, id);
  CREATE INDEX schedule_ticks_at ON schedule_ticks (at);

  -- What holds for all schedules, and how often anything about them was changed.
  CREATE TABLE schedule_settings (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    body TEXT NOT NULL,
    changes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO schedule_settings VALUES (1, 'null', 0);
  `,
  `
  -- The levels that loops were given and lost, by loop, repository ('': none) and kind of action.
  CREATE TABLE level_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL,
    repository TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    cause TEXT NOT NULL,
    level INTEGER NOT NULL,
    from_level INTEGER NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    details TEXT,
    at INTEGER NOT NULL,
    UNIQUE (loop, repository, kind, key)
  ) STRICT;
  CREATE INDEX level_changes_scope ON level_changes (loop, repository, kind, id);
  `,
  `
  -- What lists show of a run: the summary of its state after its last event.
  CREATE TABLE summaries (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    body TEXT NOT NULL
  ) STRICT;
  `,
]
