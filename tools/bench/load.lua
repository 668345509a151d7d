-- Makes wrk's requests: the paths of a file, one after the other, with a random wait between two requests of a connection.
-- Arguments: the file, the average wait in milliseconds (0: no wait).
local paths, turn, pause = {}, 0, 0

function init(arguments)
  for line in io.lines(arguments[1]) do paths[#paths + 1] = line end
  pause = tonumber(arguments[2])
  math.randomseed(1)
  turn = math.random(#paths)
end

function delay()
  return pause == 0 and 0 or math.random(0, 2 * pause)
end

function request()
  turn = turn % #paths + 1
  return wrk.format("GET", paths[turn])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\nRESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
