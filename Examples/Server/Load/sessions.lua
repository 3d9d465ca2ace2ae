-- Asks for sessions at random, whose identifiers are in the file that SESSIONS names, a line each.

local requests = {}

function init()
  for identifier in io.lines(os.getenv("SESSIONS")) do
    requests[#requests + 1] = wrk.format("GET", "/sessions/" .. identifier)
  end
end

function request()
  return requests[math.random(#requests)]
end
