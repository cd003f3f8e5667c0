// LiquidFun (Google's particles for Box2D) in C++, as a process of its own: it answers one line of
// JSON for every line it reads, like `node/peer.mjs`. Lengths are in particle spacings, times in
// seconds, and settings are those of `node/liquidfun.mjs`.

#if __has_include(<Box2D/Box2D.h>)
#include <Box2D/Box2D.h>
#else
#include <box2d/box2d.h>
#endif

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

namespace {

// Diameter of a particle. LiquidFun is at rest where the sum of (1 - r/diameter) is 1: in a square
// lattice that is 0.75 diameters apart, its own `b2_particleStride`.
const float DIAMETER = 1.0f / 0.75f;
const int PARTICLE_ITERATIONS = 3;
// What Box2D's manual recommends for bodies; here there are none that move.
const int VELOCITY_ITERATIONS = 8;
const int POSITION_ITERATIONS = 3;
// Thickness of the walls.
const float WALL = 10.0f;

void add_wall(b2World &world, float x, float y, float half_width, float half_height) {
    b2BodyDef definition;
    b2PolygonShape shape;
    shape.SetAsBox(half_width, half_height, b2Vec2(x, y), 0.0f);
    world.CreateBody(&definition)->CreateFixture(&shape, 0.0f);
}

void write_pairs(const b2Vec2 *pairs, int count, float shift) {
    std::cout << '[';
    for (int i = 0; i < count; ++i) {
        std::cout << (i > 0 ? ",[" : "[") << pairs[i].x + shift << ',' << pairs[i].y << ']';
    }
    std::cout << ']';
}

} // namespace

int main(int count, char **arguments) {
    if (count != 7) {
        std::cerr << "liquidfun COLUMNS ROWS WIDTH HEIGHT GRAVITY FRAME\n";
        return 2;
    }
    const int columns = std::atoi(arguments[1]), rows = std::atoi(arguments[2]);
    const float width = std::strtof(arguments[3], nullptr);
    const float height = std::strtof(arguments[4], nullptr);
    const float gravity = std::strtof(arguments[5], nullptr);
    const float frame = std::strtof(arguments[6], nullptr);
    // The middle of the floor is the origin: LiquidFun represents positions up to 2048 diameters on
    // either side of it, and the widest box is wider than that in total.
    const float middle = 0.5f * width;
    b2World world(b2Vec2(0.0f, -gravity));
    add_wall(world, 0.0f, -0.5f * WALL, middle + WALL, 0.5f * WALL);
    add_wall(world, 0.0f, height + 0.5f * WALL, middle + WALL, 0.5f * WALL);
    add_wall(world, -middle - 0.5f * WALL, 0.5f * height, 0.5f * WALL, 0.5f * height);
    add_wall(world, middle + 0.5f * WALL, 0.5f * height, 0.5f * WALL, 0.5f * height);
    b2ParticleSystemDef system;
    system.radius = 0.5f * DIAMETER;
    b2ParticleSystem &particles = *world.CreateParticleSystem(&system);
    b2ParticleDef particle;
    particle.flags = b2_waterParticle | b2_viscousParticle;
    for (int i = 0; i < columns * rows; ++i) {
        particle.position.Set(float(i % columns) + 0.5f - middle, float(i / columns) + 0.5f);
        particles.CreateParticle(particle);
    }
    std::cout << std::setprecision(9);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string command;
        words >> command;
        if (command == "frames") {
            int frames = 0;
            words >> frames;
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < frames; ++i) {
                world.Step(frame, VELOCITY_ITERATIONS, POSITION_ITERATIONS, PARTICLE_ITERATIONS);
            }
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
            std::cout << "{\"seconds\":" << time.count() << '}';
        } else {
            const int alive = particles.GetParticleCount();
            std::cout << "{\"interaction_radius\":" << DIAMETER << ",\"positions\":";
            write_pairs(particles.GetPositionBuffer(), alive, middle);
            std::cout << ",\"velocities\":";
            write_pairs(particles.GetVelocityBuffer(), alive, 0.0f);
            std::cout << '}';
        }
        std::cout << std::endl;
    }
}
