/** Marks a SQLite file as one of ours (`PRAGMA application_id`): "TALA". */
export const applicationId = 0x54414c41;

/**
 * The schema of run.db, step by step. Step n leads to `PRAGMA user_version` n + 1; each runs in a transaction of its
 * own. A step that was released is never changed: a change is a new step at the end.
 */
export const migrations: readonly string[] = [
  `
  -- One row: what the run is.
  CREATE TABLE run (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    run_id TEXT NOT NULL,
    name TEXT NOT NULL,
    identity TEXT NOT NULL,        -- JSON: option -> canonical JSON text
    created_at INTEGER NOT NULL    -- milliseconds since the epoch
  ) STRICT;

  -- One row for each time that a process opened the run for writing. The last one is the writer: see the fence.
  CREATE TABLE start (
    number INTEGER PRIMARY KEY,
    started_at INTEGER NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL
  ) STRICT;

  -- One row: the pass over the data set. A task belongs to the plan when its pass is at least completed_pass.
  CREATE TABLE plan (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    pass INTEGER NOT NULL,
    completed_pass INTEGER NOT NULL,
    samples INTEGER NOT NULL,      -- for each task of the current pass
    tasks INTEGER NOT NULL,        -- named by the current pass
    fingerprint TEXT               -- of the data set, once the pass is complete
  ) STRICT;

  CREATE TABLE task (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT,                     -- the user's own id
    pass INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,      -- position within the pass
    open INTEGER NOT NULL          -- 1: some sample of the plan has no final outcome
  ) STRICT;
  CREATE INDEX task_order ON task (pass, ordinal);
  CREATE INDEX task_open ON task (pass, ordinal) WHERE open = 1;

  -- Apart from task, so that the schedule never reads past the texts.
  CREATE TABLE task_body (
    task_id INTEGER PRIMARY KEY REFERENCES task (id),
    body TEXT NOT NULL
  ) STRICT;

  -- The last outcome of each rollout; id = task_id * 2^20 + sample. A rollout that never ended has no row.
  CREATE TABLE outcome (
    id INTEGER PRIMARY KEY,
    task_id INTEGER AS (id >> 20),
    sample INTEGER AS (id & 1048575),
    attempt INTEGER NOT NULL,
    start INTEGER NOT NULL,
    final INTEGER NOT NULL,        -- 1: no start tries it again
    status TEXT NOT NULL,
    exit_reason TEXT NOT NULL,
    error_class TEXT,
    error_message TEXT,
    discard_reason TEXT,
    reward REAL,                   -- NULL: not scored
    turns INTEGER NOT NULL,
    turns_with_reasoning INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    replayed_calls INTEGER NOT NULL,
    wasted_calls INTEGER NOT NULL,
    retries INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL,                 -- NULL: no price is known
    seconds REAL NOT NULL
  ) STRICT;

  -- Outcomes that a later attempt replaced.
  CREATE TABLE earlier_attempt (
    rollout_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    start INTEGER NOT NULL,
    status TEXT NOT NULL,
    exit_reason TEXT NOT NULL,
    error_class TEXT,
    error_message TEXT,
    model_calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost_usd REAL,
    seconds REAL NOT NULL,
    PRIMARY KEY (rollout_id, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE record (
    rollout_id INTEGER PRIMARY KEY,
    body BLOB NOT NULL             -- gzip of the record's JSON
  ) STRICT;

  CREATE TABLE reward (
    rollout_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (rollout_id, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tool_stat (
    rollout_id INTEGER NOT NULL,
    tool TEXT NOT NULL,
    count INTEGER NOT NULL,
    success INTEGER NOT NULL,
    failure INTEGER NOT NULL,
    PRIMARY KEY (rollout_id, tool)
  ) STRICT, WITHOUT ROWID;

  -- Replies of rollouts that have no final outcome.
  CREATE TABLE journal (
    rollout_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    request_hash TEXT NOT NULL,
    reply TEXT NOT NULL,
    PRIMARY KEY (rollout_id, sequence)
  ) STRICT, WITHOUT ROWID;

  -- Sums over the outcomes of the current pass, kept with every commit: a start must not scan a million rows.
  CREATE TABLE tally (
    status TEXT PRIMARY KEY,
    outcomes INTEGER NOT NULL,
    final INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    priced INTEGER NOT NULL        -- outcomes whose cost is known
  ) STRICT, WITHOUT ROWID;

  INSERT INTO plan (only, pass, completed_pass, samples, tasks) VALUES (1, 0, 0, 1, 0);
  `,
  `
  -- Model calls that were paid in vain, by rollout: a replay came to something else, and the rollout started over.
  CREATE TABLE waste (
    rollout_id INTEGER PRIMARY KEY,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
  ) STRICT;
  `,
];
